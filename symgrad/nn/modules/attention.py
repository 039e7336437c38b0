"""Multi-head attention, and the layers of transformers: attention and two maps, each with a residual connection."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from symgrad.core.modes import get_default_dtype
from symgrad.errors import ArgumentError, ShapeError
from symgrad.nn import functional as F
from symgrad.nn import init
from symgrad.nn.modules.containers import ModuleList
from symgrad.nn.modules.functions import Dropout
from symgrad.nn.modules.layers import Linear
from symgrad.nn.modules.module import Module
from symgrad.nn.modules.normalisation import LayerNorm
from symgrad.nn.parameter import Parameter
from symgrad.support.arguments import check_all, shown
from symgrad.tensors.creation import tensor


class NonDynamicallyQuantizableLinear(Linear):
    """The map after attention: Linear, under the name that PyTorch prints."""


class MultiheadAttention(Module):
    """Multi-head attention: a linear map of the concatenated heads softmax(Q_h K_hᵀ/√d + M) V_h.

    Args:
        embed_dim, num_heads: E, and the number of heads among which it is divided.
        dropout: the probability that a weight is set to 0 in training.
        bias: whether the maps have biases.
        add_bias_kv: whether to learn an additional key and value.
        add_zero_attn: whether to add a key and a value of zeros.
        kdim, vdim: the lengths of keys and values, by default E.
        batch_first: whether sequences have the shape (N, l, E) instead of (l, N, E).
        device, dtype: the device, which is the CPU, and the dtype of the parameters, by default the default dtype.

    Source: Vaswani et al. 2017, "Attention is all you need", §3.2.

    >>> x = sg.randn(5, 2, 4)
    >>> y, weights = sg.nn.MultiheadAttention(4, 2)(x, x, x)
    >>> y.shape, weights.shape
    ((5, 2, 4), (2, 5, 5))
    """

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, add_bias_kv: bool = False,
        add_zero_attn: bool = False, kdim: int | None = None, vdim: int | None = None, batch_first: bool = False,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0 or embed_dim % num_heads:
            raise ArgumentError(
                f"embed_dim must be divisible by num_heads, both greater than 0. Got {embed_dim} and {num_heads}."
            )
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self.head_dim, self.add_zero_attn = embed_dim // num_heads, add_zero_attn
        self._same = self.kdim == self.vdim == embed_dim
        dtype = get_default_dtype() if dtype is None else dtype

        def empty(*shape: int) -> Parameter:
            return Parameter(np.zeros(shape, dtype))

        e, k, v = embed_dim, self.kdim, self.vdim
        for name, size in (("q", e), ("k", k), ("v", v)) if not self._same else ():
            self.register_parameter(f"{name}_proj_weight", empty(e, size))
        self.register_parameter("in_proj_weight", empty(3 * e, e) if self._same else None)
        for name in ("q", "k", "v") if self._same else ():
            self.register_parameter(f"{name}_proj_weight", None)
        self.register_parameter("in_proj_bias", empty(3 * e) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(e, e, bias, dtype=dtype)
        for name in ("bias_k", "bias_v"):
            self.register_parameter(name, empty(1, 1, e) if add_bias_kv else None)
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for name, p in self._parameters.items():
            if p is not None and name.endswith("weight"):
                init.xavier_uniform_(p)
            elif p is not None and name != "in_proj_bias":
                init.xavier_normal_(p)
        if self.out_proj.bias is not None:
            init.zeros_(self.out_proj.bias)

    def forward(
        self, query: Any, key: Any, value: Any, key_padding_mask: Any = None, need_weights: bool = True,
        attn_mask: Any = None, average_attn_weights: bool = True, is_causal: bool = False,
    ) -> tuple[Any, Any]:  # fmt: skip
        """Return the result, and the weights or None; see ``nn.functional.multi_head_attention_forward``."""
        turned = self.batch_first and query.ndim == 3
        if turned:
            query, key, value = (x.transpose(0, 1) for x in (query, key, value))
        p = self._parameters
        y, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, p["in_proj_weight"], p["in_proj_bias"], p["bias_k"],
            p["bias_v"], self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias, self.training,
            key_padding_mask, need_weights, attn_mask, not self._same, p["q_proj_weight"], p["k_proj_weight"],
            p["v_proj_weight"], average_attn_weights=average_attn_weights, is_causal=is_causal,
        )  # fmt: skip
        return y.transpose(0, 1) if turned else y, weights


class _Layer(Module):
    """Base class of encoder and decoder layers: attention, two maps, and a normalisation for each."""

    attentions: ClassVar[tuple[str, ...]] = ("self_attn",)

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: str | Callable[[Any], Any] = "relu", layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if activation not in ("relu", "gelu") and not callable(activation):
            raise ArgumentError(f"activation should be relu/gelu, not {activation}.")
        for name in self.attentions:
            attention = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype)
            self.add_module(name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, dtype=dtype)
        self.norm_first = norm_first
        count = len(self.attentions) + 1
        for k in range(count):
            self.add_module(f"norm{k + 1}", LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype))
        for k in range(count):
            self.add_module(f"dropout{k + 1}", Dropout(dropout))
        self.activation: Any = activation if callable(activation) else getattr(F, activation)

    def _apply(self, x: Any, blocks: list[Callable[[Any], Any]]) -> Any:
        """Return x + block(x) for each block in turn, normalised before the block or after the sum."""
        for k, block in enumerate(blocks, 1):
            norm, dropout = self._modules[f"norm{k}"], self._modules[f"dropout{k}"]
            assert norm is not None
            assert dropout is not None
            x = x + dropout(block(norm(x))) if self.norm_first else norm(x + dropout(block(x)))
        return x

    def _maps(self, x: Any) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Self-attention followed by two maps: x + A(x) and x + W₂ act(W₁ x), each normalised.

    Args:
        d_model, nhead: the length of the vectors, and the number of heads.
        dim_feedforward: the length of the vectors between the two maps.
        dropout: the probability that an entry is set to 0 in training.
        activation: "relu", "gelu" or a function.
        layer_norm_eps: the ε of the normalisations.
        batch_first: whether sequences have the shape (N, l, d_model) instead of (l, N, d_model).
        norm_first: whether to normalise before each part instead of after its sum.
        bias: whether maps and normalisations have biases.
        device, dtype: the device, which is the CPU, and the dtype of the parameters, by default the default dtype.

    Source: Vaswani et al. 2017, "Attention is all you need", §3.1.
    """

    def forward(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False) -> Any:
        """Return the layer's output for ``src``; the masks are passed to MultiheadAttention."""

        def attend(x: Any) -> Any:
            return self.self_attn(x, x, x, src_key_padding_mask, False, src_mask, is_causal=is_causal)[0]

        return self._apply(src, [attend, self._maps])


class TransformerDecoderLayer(_Layer):
    """A TransformerEncoderLayer with attention to a second sequence, ``memory``, before the two maps."""

    attentions = ("self_attn", "multihead_attn")

    def forward(
        self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None, tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None, tgt_is_causal: bool = False, memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """Return the layer's output for ``tgt`` and ``memory``."""

        def attend(x: Any) -> Any:
            return self.self_attn(x, x, x, tgt_key_padding_mask, False, tgt_mask, is_causal=tgt_is_causal)[0]

        def look(x: Any) -> Any:
            mask = memory_key_padding_mask
            return self.multihead_attn(x, memory, memory, mask, False, memory_mask, is_causal=memory_is_causal)[0]

        return self._apply(tgt, [attend, look, self._maps])


_MOST_LAYERS = 10_000


class _Stack(Module):
    """A stack of copies of a layer, and a normalisation."""

    def __init__(self, layer: Module, num_layers: int, norm: Module | None) -> None:
        super().__init__()
        if num_layers > _MOST_LAYERS:
            raise ArgumentError(
                f"{type(self).__name__}: got num_layers={shown(num_layers)}. Expected at most {_MOST_LAYERS}."
            )
        self.layers = ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def _through(self, x: Any, *args: Any, **options: Any) -> Any:
        for layer in self.layers:
            x = layer(x, *args, **options)
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(_Stack):
    """A stack of copies of an encoder layer. ``enable_nested_tensor`` and ``mask_check`` have no effect."""

    def __init__(
        self, encoder_layer: Module, num_layers: int, norm: Module | None = None, enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(encoder_layer, num_layers, norm)

    def forward(
        self, src: Any, mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool | None = None
    ) -> Any:
        """Return the output of the last layer."""
        return self._through(src, mask, src_key_padding_mask, bool(is_causal))


class TransformerDecoder(_Stack):
    """A stack of copies of a decoder layer."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__(decoder_layer, num_layers, norm)

    def forward(
        self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None, tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """Return the output of the last layer."""
        masks = tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        return self._through(tgt, memory, *masks, bool(tgt_is_causal), memory_is_causal)


class Transformer(Module):
    """An encoder of one sequence, and a decoder of another that attends to it; see the layers for the arguments.

    Source: Vaswani et al. 2017, "Attention is all you need".
    """

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
        dim_feedforward: int = 2048, dropout: float = 0.1, activation: str | Callable[[Any], Any] = "relu",
        custom_encoder: Any = None, custom_decoder: Any = None, layer_norm_eps: float = 1e-5,
        batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        made = dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device, dtype

        def stacked(kind: Any, layer: Any, count: int) -> Any:
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
            return kind(layer(d_model, nhead, *made), count, norm)

        self.encoder = custom_encoder or stacked(TransformerEncoder, TransformerEncoderLayer, num_encoder_layers)
        self.decoder = custom_decoder or stacked(TransformerDecoder, TransformerDecoderLayer, num_decoder_layers)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first
        for p in self.parameters():
            if p.ndim > 1:
                init.xavier_uniform_(p)

    def forward(
        self, src: Any, tgt: Any, src_mask: Any = None, tgt_mask: Any = None, memory_mask: Any = None,
        src_key_padding_mask: Any = None, tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None,
        src_is_causal: bool | None = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """Return the decoder's output for ``tgt``, given the encoder's output for ``src``."""
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise ShapeError(
                f"the feature number of src and tgt must be equal to d_model, {self.d_model}. Got {tuple(src.shape)} "
                f"and {tuple(tgt.shape)}."
            )
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        masks = tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        return self.decoder(tgt, memory, *masks, tgt_is_causal, memory_is_causal)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Any:
        """Return the additive mask (sz, sz) that hides later positions: -inf above the diagonal, and 0 elsewhere."""
        return tensor(np.triu(np.full((sz, sz), -np.inf), 1), dtype=get_default_dtype() if dtype is None else dtype)


__all__ = [
    "MultiheadAttention", "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerEncoderLayer",
]  # fmt: skip


check_all(globals(), __all__)
