"""The first lines of programs for PyTorch: devices, constants, old constructors, what is read of a machine."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError

# Lines that mean the same with torch's name and with symgrad's; those that are numbers or truth values are compared.
LINES = """
x.device("cpu")
x.device("cpu").type
x.zeros(2, 3, device="cpu", dtype=x.float32)
x.ones(2, device=x.device("cpu"), pin_memory=False)
x.full((2,), 3.0, device="cpu", layout=x.strided)
x.arange(3, device="cpu")
x.eye(2, device="cpu")
x.linspace(0, 1, 3, device="cpu")
x.tensor([1.0], device="cpu")
x.as_tensor([1.0], device="cpu")
x.empty_like(x.ones(2), device="cpu").shape[0]
x.ones(2).new_zeros(2, device="cpu")
x.randn(2, 3, device="cpu").shape[1]
x.randint(0, 5, (3,), device="cpu").shape[0]
x.randperm(3, device="cpu").sum()
x.Generator(device="cpu") is None
x.tensor([1.0]).to("cpu")
x.tensor([1.0]).to(x.device("cpu"), x.float32)
x.tensor([1.0]).to(device="cpu", dtype=x.float64)
x.tensor([1.0]).device.type
x.tensor([1.0]).is_cuda
x.tensor([1.0]).get_device()
x.nn.Linear(2, 3, device="cpu").to(x.device("cpu")).in_features
x.cuda.is_available()
x.cuda.device_count()
x.backends.mps.is_available()
x.accelerator.is_available()
x.accelerator.current_accelerator()
x.cuda.manual_seed_all(0) is None
x.get_default_device().type
x.use_deterministic_algorithms(False) is None
x.set_float32_matmul_precision("highest") is None
x.inf
x.nan
x.pi
x.e
x.newaxis is None
x.Size([2, 3])[1]
isinstance(x.ones(2, 3).shape, x.Size)
x.Tensor([1, 2])
x.Tensor(2, 3).shape[1]
x.FloatTensor([1, 2])
x.LongTensor([1.0, 2.0])
x.DoubleTensor(2).shape[0]
x.BoolTensor([True, False])
isinstance(x.tensor([1]), x.LongTensor)
isinstance(x.tensor([1.0], dtype=x.float64), x.LongTensor)
x.ones(2).type(x.LongTensor)
x.finfo(x.float32).eps
x.iinfo(x.int64).max
x.tensor(1.0).is_floating_point()
len(x.utils.data.DataLoader([1, 2, 3], batch_size=2, num_workers=0, pin_memory=False, persistent_workers=False))
[b.tolist() for b in x.utils.data.DataLoader([1, 2, 3], batch_size=2, drop_last=True)]
[b.tolist() for b in x.utils.data.DataLoader([1, 2, 3], sampler=[2, 0])]
[b.tolist() for b in x.utils.data.DataLoader([1, 2, 3], batch_sampler=[[2, 0], [1]])]
[b for b in x.utils.data.DataLoader([1, 2, 3], batch_size=2, collate_fn=sum)]
[b for b in x.utils.data.DataLoader([1, 2, 3], batch_size=None)]
list(x.utils.data.BatchSampler(x.utils.data.SequentialSampler([5, 6, 7]), 2, True))
len(x.utils.data.BatchSampler(range(5), 2, False))
len(x.utils.data.RandomSampler([5, 6, 7], num_samples=7))
sorted(x.utils.data.RandomSampler([5, 6, 7]))
sorted(x.utils.data.SubsetRandomSampler([4, 2]))
list(x.utils.data.WeightedRandomSampler([0.0, 1.0], 3))
[x.utils.data.ConcatDataset([[1, 2], [3]])[k] for k in (0, 2, -1)]
list(x.utils.data.ChainDataset([]))
x.utils.data.StackDataset([1, 2], [3, 4])[1]
x.utils.data.StackDataset(a=[1, 2], b=[3, 4])[1]
x.utils.data.get_worker_info() is None
"""


def plain(value):
    return value.tolist() if hasattr(value, "tolist") else value


@pytest.mark.parametrize("line", LINES.strip().splitlines())
def test_a_first_line_of_a_torch_program_runs(line):
    ours = plain(eval(line, {"x": sg}))
    torch = pytest.importorskip("torch")
    theirs = plain(eval(line, {"x": torch}))
    if isinstance(theirs, (bool, int, float, list, tuple, dict)):
        np.testing.assert_equal(ours, theirs)


@pytest.mark.parametrize("line", [
    'x.device("cuda")', 'x.ones(2, device="cuda:0")', 'x.ones(2).to("mps")', "x.ones(2).cuda()", "x.nn.ReLU().cuda()",
    'x.nn.Linear(2, 3).to("cuda")', 'x.Generator(device="cuda")', 'x.set_default_device("cuda")',
])  # fmt: skip
def test_another_device_is_refused_with_what_runs_there(line):
    with pytest.raises(ArgumentError, match=r"device '\w+(:0)?' does not exist. symgrad computes on.*sg\.export"):
        eval(line, {"x": sg})


def test_a_device_is_a_context_and_a_name():
    with sg.device("cpu:0") as cpu:
        assert cpu == "cpu"
        assert sg.ones(2).device == cpu
    assert repr(cpu) == "device(type='cpu')"
    with pytest.raises(ArgumentTypeError, match="Expected a name"):
        sg.device(0.5)


class Squares(sg.utils.data.IterableDataset):
    def __iter__(self):
        return (k * k for k in range(5))


def test_an_iterable_data_set_is_gone_through_in_batches():
    loader = sg.utils.data.DataLoader(Squares(), batch_size=2)
    assert [b.tolist() for b in loader] == [[0, 1], [4, 9], [16]]
    assert [b.tolist() for b in sg.utils.data.DataLoader(Squares(), batch_size=2, drop_last=True)] == [[0, 1], [4, 9]]
    assert list(Squares() + Squares())[4:6] == [16, 0]
    with pytest.raises(ArgumentError, match="IterableDataset and an order"):
        sg.utils.data.DataLoader(Squares(), shuffle=True)


@pytest.mark.parametrize("options", [
    {"sampler": [0], "shuffle": True}, {"batch_sampler": [[0]], "batch_size": 2}, {"batch_size": 0},
    {"batch_size": None, "drop_last": True},
])  # fmt: skip
def test_options_of_a_loader_that_exclude_each_other_are_refused(options):
    with pytest.raises(ArgumentError, match=r"exclusive|positive integer"):
        sg.utils.data.DataLoader([1, 2], **options)


def test_a_sampler_repeats_itself_with_its_generator():
    data = list(range(20))
    orders = [list(sg.utils.data.RandomSampler(data, generator=sg.Generator().manual_seed(3))) for _ in range(2)]
    assert orders[0] == orders[1] != data
    drawn = list(sg.utils.data.RandomSampler(data, replacement=True, num_samples=50))
    assert len(drawn) == 50
    assert set(drawn) <= set(data)
    with pytest.raises(ArgumentError, match="num_samples"):
        sg.utils.data.RandomSampler(data, num_samples=0)
