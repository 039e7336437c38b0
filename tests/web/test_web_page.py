"""The explorer in a real browser: what somebody types, sees, copies and prints. One server and one browser for all."""

from __future__ import annotations

import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
pytest.importorskip("starlette", reason="needs the extra web")
uvicorn = pytest.importorskip("uvicorn", reason="needs the extra web")

from symgrad.web import application  # noqa: E402
from symgrad.web.guard import Guard  # noqa: E402
from symgrad.web.pool import WorkerPool  # noqa: E402

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

WAIT = 60_000  # milliseconds, for anything to appear on a machine that is busy with other work
api.expect.set_options(timeout=WAIT)
LEAST_SQUARES = "#f=norm(X*w - y)^2&wrt=w"
WAVE = "#f=x^2*sin(x)&wrt=x"
SADDLE = "#f=x^3 + y^3 - 3*x*y&wrt=x"
TABS = ["matrix", "index", "entries", "where", "steps", "grade", "graph", "plot", "numbers", "code"]
OF_NUMBERS = ["steps", "grade", "study", "several", "matrix", "where", "graph", "plot", "numbers", "code"]
Visit = Callable[..., Any]


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    started = WorkerPool(2)
    yield started
    started.close()


@contextmanager
def served(pool: WorkerPool, guard: Guard | None = None) -> Iterator[str]:
    """Serve the page in a thread; give its address."""
    settings = {"port": 0, "log_level": "critical", "lifespan": "off", "timeout_graceful_shutdown": 1}
    server = uvicorn.Server(uvicorn.Config(application(pool, guard), **settings))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until = time.monotonic() + WAIT / 1000
    while not server.started and time.monotonic() < until:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
    server.should_exit = True
    thread.join(WAIT / 1000)


@pytest.fixture(scope="module")
def address(pool: WorkerPool) -> Iterator[str]:
    with served(pool) as found:
        yield found


@pytest.fixture(scope="module")
def browser(address: str) -> Iterator[Any]:
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=WAIT)
        yield started
        started.close()


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Visit]:
    """Open the page at a fragment. Whatever is done with it, the console stays silent."""
    said: list[str] = []
    contexts = []

    def opened(fragment: str = "", *, at: str = address, width: int = 1280, **more: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, **more)
        contexts.append(context)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        context.set_default_timeout(WAIT)
        page = context.new_page()
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.goto(at + fragment)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert said == []


def shows(page: Any, selector: str, text: str | re.Pattern[str]) -> None:
    """Wait until what is selected holds the text."""
    api.expect(page.locator(selector)).to_contain_text(text)


def settled(page: Any, tab: str) -> None:
    """Wait until the panel shows the view of a tab."""
    api.expect(page.locator(f"#panel[data-view={tab}][aria-busy=false]")).to_be_visible()


def violations(page: Any) -> list[str]:
    """What axe finds once no answer is awaited, a line each: what an answer will replace fades meanwhile."""
    api.expect(page.locator("[aria-busy=true], #busy:visible")).to_have_count(0)
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe").Axe()
    found = axe.run(page).response["violations"]
    return [f"{v['id']}: {n['html'][:160]}" for v in found for n in v["nodes"]]


def test_a_typed_formula_shows_its_derivative_and_its_names(visit: Visit) -> None:
    page = visit()
    page.get_by_label("Formula", exact=True).fill("np.log(np.sum(np.exp(X @ w)))")
    shows(page, "#derivative", "softmax")
    assert page.locator("#derivative math, #preview math").count() == 2
    shows(page, "#spelling", "NumPy")
    assert [page.get_by_label(f"Kind of {name}").input_value() for name in ("X", "w")] == ["matrix", "vector"]
    page.get_by_label("Formula", exact=True).fill("x'*A*x")
    shows(page, "#spelling", "MATLAB")
    shows(page, "#panel", "(A + Aᵀ)*x")
    page.get_by_label("More on A").click()
    page.get_by_label("Structure of A").select_option("symmetric")
    shows(page, "#panel .spelling >> nth=0", re.compile(r"^2\*A\*x$"))
    page.get_by_role("radio", name="2", exact=True).check(force=True)
    shows(page, "#panel .spelling >> nth=0", re.compile(r"^2\*A$"))
    assert "n.A=matrix:n,n:symmetric" in page.url
    assert "order=2" in page.url


def test_tabs_show_the_derivative_in_every_way(visit: Visit) -> None:
    page = visit(LEAST_SQUARES)
    held = {
        "matrix": "2*Xᵀ*(X*w - y)", "index": "Sum_", "entries": "number", "where": "name", "steps": "substitute",
        "grade": "Your derivative",
        "graph": "along each arrow", "plot": "one number or two", "numbers": "finite differences",
        "code": "import numpy",
    }  # fmt: skip
    assert list(held) == TABS
    for tab, text in held.items():
        page.locator(f"#tab-{tab}").click()
        settled(page, tab)
        shows(page, "#panel", text)
    page.goto(page.url.partition("#")[0] + LEAST_SQUARES + "&tab=graph")
    page.reload()
    settled(page, "graph")
    assert page.locator("img.graph").evaluate("image => image.decode().then(() => image.naturalWidth)") > 100


def test_functions_of_numbers_begin_with_their_steps_and_are_studied(visit: Visit) -> None:
    page = visit("#f=x^3-3x&wrt=x")
    settled(page, "steps")
    shows(page, "#panel", "power rule")
    assert page.get_by_role("tab").all_inner_texts()[:4] == ["Steps", "Your answer", "Study", "Text"]
    page.get_by_role("tab", name="Study").click()
    settled(page, "study")
    shows(page, "#panel", "local maximum at x = −1")
    assert page.locator("#panel svg .mark").count() == 6  # three zeros, two extrema, an inflection point
    page.get_by_label("Formula", exact=True).fill("x^3 + y^3 - 3x*y")
    page.get_by_role("tab", name="Several variables").click()
    settled(page, "several")
    shows(page, "#panel", "saddle point at (0, 0)")
    page.get_by_role("radio", name="Laplacian").check(force=True)
    shows(page, "#panel .steps", "Δf")
    assert "tab=several&ask=laplacian" in page.url
    page.get_by_label("Formula", exact=True).fill("x^2 + y^2 = 25")
    shows(page, "#derivative", "dy")
    assert page.get_by_role("tab").all_inner_texts() == ["Steps", "Your answer", "Text"]
    shows(page, "#panel", "differentiate both sides")
    page.get_by_label("Formula", exact=True).fill("[x*y, y^2]")
    page.get_by_role("radio", name="Curl").check(force=True)
    shows(page, "#panel .steps", "∇×F")


def test_code_is_copied_and_downloaded_in_every_language(visit: Visit) -> None:
    page = visit(WAVE + "&tab=code")
    for label, word in {"C": "double", "JAX": "jax", "PyTorch": "torch", "SymPy": "sympy", "LaTeX": "\\"}.items():
        page.get_by_role("radio", name=label, exact=True).check(force=True)
        shows(page, ".source", word)
    page.get_by_role("radio", name="NumPy", exact=True).check(force=True)
    shows(page, ".source", "import numpy")
    page.get_by_role("button", name="Copy", exact=True).click()
    shows(page, "#toast", "Copied")
    source = page.locator(".source").inner_text()
    assert page.evaluate("navigator.clipboard.readText()") == source
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert download.value.path().read_text(encoding="utf-8") == source
    assert download.value.suggested_filename.endswith(".py")


def test_a_mistake_is_underlined_with_its_reason_until_it_is_mended(visit: Visit) -> None:
    page = visit(WAVE + "&tab=matrix")
    settled(page, "matrix")
    formula = page.get_by_label("Formula", exact=True)
    formula.fill("sin(x) + $y")
    shows(page, "#formula-editor mark", "$")
    shows(page, "#formula-mistake", "$ cannot be part of a formula")
    api.expect(formula).to_have_attribute("aria-invalid", "true")
    mark, area = (page.locator(f"#formula-editor {part}").bounding_box() for part in ("mark", "textarea"))
    assert area["y"] < mark["y"] < area["y"] + area["height"]
    assert violations(page) == []
    formula.fill("sin(x) + y")
    api.expect(page.locator("#formula-mistake")).to_be_hidden()
    api.expect(page.locator("#formula-editor mark")).to_have_count(0)
    shows(page, "#panel", "cos(x)")


def test_an_answer_that_comes_after_the_formula_was_cleared_is_not_shown(visit: Visit) -> None:
    page = visit()
    held: list[Any] = []
    page.route("**/api/steps", lambda route: held.append(route))
    with page.expect_request("**/api/steps"):
        page.get_by_label("Formula", exact=True).fill("x^3")
    page.get_by_label("Formula", exact=True).fill("")
    shows(page, "#panel", "Examples are in the gallery")
    with page.expect_response("**/api/steps"):
        held[0].continue_()
    page.wait_for_timeout(200)
    shows(page, "#panel[aria-busy=false]", "Examples are in the gallery")


def test_an_address_is_the_exercise_and_undo_goes_back(visit: Visit) -> None:
    page = visit("#f=a*x^2+b&wrt=x&n.a=number::positive:3&order=2&tab=numbers")
    settled(page, "numbers")
    assert page.get_by_label("Formula", exact=True).input_value() == "a*x^2+b"
    page.get_by_label("More on a").click()
    assert page.get_by_label("Value of a").input_value() == "3"
    page.locator("#tab-steps").click()
    settled(page, "steps")
    page.get_by_role("radio", name="b", exact=True).check(force=True)
    api.expect(page).to_have_url(re.compile("wrt=b"))
    page.keyboard.press("Control+z")
    api.expect(page).to_have_url(re.compile("wrt=x.*tab=steps"))
    page.get_by_role("button", name="Undo").click()
    api.expect(page).to_have_url(re.compile("wrt=x.*tab=numbers"))
    page.get_by_role("button", name="Redo").click()
    settled(page, "steps")
    page.get_by_role("button", name="Copy link").click()
    shows(page, "#toast", "Copied")
    again = visit(page.evaluate("navigator.clipboard.readText()").partition("/#")[2].join(["#", ""]))
    settled(again, "steps")
    assert again.url == page.url


def test_examples_and_history_open_exercises(visit: Visit) -> None:
    page = visit(WAVE)
    settled(page, "steps")
    page.get_by_role("button", name="Gallery").click()
    example = page.locator("a.example", has_text="Least squares").first
    example.wait_for()
    assert violations(page) == []
    page.get_by_label("Find an example").fill("least squares")
    example.click()
    shows(page, "#panel", "2*Xᵀ*(X*w - y)")
    page.go_back()
    shows(page, "#derivative", "cos")
    page.wait_for_function("(localStorage.getItem('symgrad-history') || '').includes('sin')")  # not what is passed by
    page.get_by_role("button", name="History").click()
    page.locator("#history-list a").first.click()
    api.expect(page.locator("#history")).to_be_hidden()


def test_the_tangent_is_dragged_and_moved_with_keys(visit: Visit) -> None:
    page = visit(WAVE + "&tab=plot")
    settled(page, "plot")
    handle = page.get_by_role("slider")
    box = page.locator("svg.plot").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 46 + (box["width"] - 64) * 5 / 6, box["y"] + box["height"] / 3, steps=4)
    page.mouse.up()
    assert float(handle.get_attribute("aria-valuenow")) == pytest.approx(2.0, abs=0.05)
    shows(page, ".readings", "f′(x) = ")
    before = float(handle.get_attribute("aria-valuenow"))
    handle.press("ArrowRight")
    assert float(handle.get_attribute("aria-valuenow")) > before
    handle.press("Home")
    assert float(handle.get_attribute("aria-valuenow")) == -3
    drawn = page.locator("path.curve.f").get_attribute("d")
    page.get_by_role("button", name="Zoom out").click()
    api.expect(page.get_by_label("x from")).to_have_value("-6")
    assert page.locator("path.curve.f").get_attribute("d") != drawn


def test_two_numbers_have_level_lines_and_a_gradient(visit: Visit) -> None:
    page = visit("#f=x^2+3*y^2&wrt=x&tab=plot")
    settled(page, "plot")
    assert page.locator("path.level").count() >= 8
    lines = page.locator("path.level").evaluate_all("all => all.map(path => path.getAttribute('d').split('M').length)")
    assert max(lines) > 120  # in short pieces, so that an ellipse has no corners
    handle = page.get_by_role("slider")
    handle.press("End")
    assert float(handle.get_attribute("aria-valuenow")) == 3
    shows(page, ".readings", "∇f = (6, ")


def test_the_logarithm_is_called_as_chosen_in_links_and_on_the_next_visit(visit: Visit) -> None:
    page = visit("#f=x^2*log(x)&wrt=x&tab=steps")
    settled(page, "steps")
    shows(page, "#derivative", "log")
    page.get_by_role("radio", name="ln", exact=True).check(force=True)
    for place in ("#derivative", "#preview", "#panel .steps"):
        shows(page, place, "ln")
        api.expect(page.locator(place)).not_to_contain_text("log")
    assert page.url.endswith("&logarithm=ln")
    page.locator("#undo").click()
    shows(page, "#derivative", "log")
    page.locator("#redo").click()
    page.locator("#go-practise").click()
    page.wait_for_url("**/#practise&*logarithm=ln")
    page.goto(page.url.partition("#")[0] + "#practise&topic=exp-log&seed=3")
    shows(page, ".task", "ln(x)")
    assert page.locator("a[href^='/sheet'][href*='logarithm=ln']").count() == 2
    page.get_by_label("Your answer").fill("9*exp(9*x)")
    page.get_by_role("radio", name="log", exact=True).check(force=True)
    shows(page, ".task", "log(x)")
    api.expect(page.get_by_label("Your answer")).to_have_value("9*exp(9*x)")
    page.get_by_role("radio", name="ln", exact=True).check(force=True)
    page.reload()
    shows(page, ".task", "ln(x)")


def test_answers_are_graded_and_hints_come_one_at_a_time(visit: Visit) -> None:
    page = visit("#practise&topic=polynomials&level=1&seed=1")
    answer = page.get_by_label("Your answer")
    answer.fill("x*(")
    page.get_by_role("button", name="Check").click()
    api.expect(page.locator("#answer-mistake")).to_be_visible()
    answer.fill("exp(7*x)")
    answer.press("Enter")
    shows(page, "#verdict", "Not yet")
    assert violations(page) == []
    page.get_by_role("button", name="Hint").click()
    api.expect(page.locator("#hints li")).to_have_count(1)
    page.get_by_role("button", name=re.compile("Next hint|No more")).wait_for()
    task = page.locator(".task").inner_text()
    [formula] = re.findall(r"f = (.*) with respect to x", task)
    solver = visit("#f=" + formula.replace("+", "%2B") + "&wrt=x&tab=matrix")
    settled(solver, "matrix")
    answer.fill(solver.locator(".spelling").first.inner_text())
    page.get_by_role("button", name="Check").click()
    shows(page, "#verdict", "Right")
    api.expect(page.get_by_role("link", name="Problem 1, solved")).to_be_visible()
    page.get_by_role("button", name="Next problem").click()
    shows(page, "#problem-title", "Problem 2")
    assert page.locator(".task").inner_text() != task


def test_an_own_answer_is_graded_with_what_is_assumed(visit: Visit) -> None:
    page = visit("#f=x'*A*x&wrt=x&n.A=matrix:n,n:symmetric&tab=grade")
    page.get_by_label("Your derivative").fill("2*A*x")
    page.get_by_role("button", name="Check", exact=True).click()
    shows(page, "#panel .verdict", "Right")
    page.get_by_label("More on A").click()
    page.get_by_label("Structure of A").select_option("upper")
    api.expect(page.locator("#panel .verdict p")).to_have_count(0)
    page.get_by_label("Your derivative").press("Enter")
    shows(page, "#panel .verdict", "Not yet")
    assert violations(page) == []


def test_the_slip_is_underlined_in_the_answer_and_what_is_said_of_it_in_the_problem(visit: Visit) -> None:
    page = visit("#practise&topic=chain&level=2&seed=35&problem=4")
    shows(page, ".task", "sin(x^4)")
    page.get_by_label("Your answer").fill("4x^4 cos(x ** 4)")
    page.get_by_label("Your answer").press("Enter")
    shows(page, "#verdict", "Not yet")
    assert page.locator(".editor-layer mark").all_text_contents() == ["4"]
    page.get_by_label("Your answer").fill("cos(x ** 4)")
    page.get_by_label("Your answer").press("Enter")
    shows(page, "#verdict", "The inner function x^4")
    assert page.locator(".task mark").inner_text() == "x^4"
    assert page.locator(".editor-layer mark").all_text_contents() == ["cos(x ** 4)"]
    page.get_by_label("Your answer").fill("x + 17")
    page.get_by_label("Your answer").press("Enter")
    shows(page, "#verdict", "This is not the derivative")
    assert page.locator(".editor-layer mark").count() == 0


def test_a_teachers_link_fixes_the_problems_and_prints_them(visit: Visit) -> None:
    page = visit("#practise&topic=chain&level=2&seed=7")
    shows(page, "#problem-title", "Problem 1")
    first = page.locator(".task").inner_text()
    page.get_by_role("button", name="Copy a link").click()
    link = page.evaluate("navigator.clipboard.readText()")
    pupil = visit(link.partition("/#")[2].join(["#", ""]))
    shows(pupil, "#problem-title", "Problem 1")
    assert pupil.locator(".task").inner_text() == first
    assert pupil.get_by_label("Topic").count() == 0
    formulas = set()
    for solutions, words in ((0, "Print the sheet"), (1, "Print its solutions")):
        sheet = page.get_by_role("link", name=words).get_attribute("href")
        printed = visit(sheet.removeprefix("/"))
        assert printed.locator("ol > li").count() == 10
        item = printed.locator("ol > li").first
        assert item.inner_text().startswith("Find the derivative with respect to x.")
        formulas.add(item.locator("math").first.get_attribute("alttext"))
        assert (printed.locator(".solution").count() > 0) == bool(solutions)
        assert violations(printed) == []
    assert len(formulas) == 1  # each problem is printed once, as a formula


def test_a_narrow_screen_has_nothing_that_is_wider(visit: Visit) -> None:
    page = visit(LEAST_SQUARES, width=360, has_touch=True)
    for tab in ("matrix", "index", "steps", "numbers", "code"):
        page.locator(f"#tab-{tab}").click()
        settled(page, tab)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, tab
    assert violations(page) == []
    page.goto(page.url.partition("#")[0] + "#practise&topic=chain&level=1&seed=2")
    shows(page, "#problem-title", "Problem 1")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_dark_follows_the_system_and_the_switch(visit: Visit) -> None:
    page = visit(WAVE + "&tab=plot", color_scheme="dark", reduced_motion="reduce")
    settled(page, "plot")
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    assert violations(page) == []
    switch = page.get_by_role("button", name="Dark")
    api.expect(switch).to_have_attribute("aria-pressed", "true")
    switch.click()
    light = page.evaluate(background)
    assert sum(map(int, re.findall(r"\d+", dark)[:3])) < 150 < 600 < sum(map(int, re.findall(r"\d+", light)[:3]))
    page.reload()
    settled(page, "plot")
    assert page.evaluate(background) == light


def test_all_is_reached_with_the_keyboard(visit: Visit) -> None:
    page = visit(WAVE + "&tab=matrix")
    settled(page, "matrix")
    press = page.keyboard.press
    press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the formula"
    press("Enter")
    assert page.evaluate("document.activeElement.id") == "formula"
    press("Control+a")
    page.keyboard.type("x*y^3")
    shows(page, "#panel", "y**3")
    press("Tab")
    press("ArrowRight")
    shows(page, "#panel", "3*x*y**2")
    assert page.evaluate("document.activeElement.value") == "y"
    page.locator("#tab-steps").click()
    page.locator("#tab-steps").focus()
    for tab in OF_NUMBERS[1:]:
        press("ArrowRight")
        assert page.evaluate("document.activeElement.id") == f"tab-{tab}"
    settled(page, "code")
    press("Tab")
    assert page.evaluate("document.activeElement.id") == "panel"
    page.get_by_role("button", name="Gallery").focus()
    press("Enter")
    api.expect(page.locator("#gallery")).to_be_visible()
    press("Escape")
    api.expect(page.locator("#gallery")).to_be_hidden()
    assert page.evaluate("document.activeElement.id") == "open-gallery"


@pytest.mark.parametrize(("fragment", "tabs"), [(LEAST_SQUARES, TABS), (SADDLE, OF_NUMBERS)])
def test_axe_finds_no_violation_in_any_view(visit: Visit, fragment: str, tabs: list[str]) -> None:
    page = visit(fragment)
    page.locator(f"#tab-{tabs[0]}").wait_for()
    settled(page, tabs[0])
    for tab in tabs:
        page.locator(f"#tab-{tab}").click()
        settled(page, tab)
        assert violations(page) == [], tab


def test_a_token_is_remembered_and_not_in_links(visit: Visit, pool: WorkerPool) -> None:
    with served(pool, Guard(token="spring")) as at:
        page = visit("?token=spring" + WAVE, at=at)
        settled(page, "steps")
        assert "spring" not in page.url
        page.goto(at + LEAST_SQUARES + "&tab=steps")
        settled(page, "steps")
        page.close()  # before its server, of which it may still ask something


def test_paper_shows_the_exercise_and_no_controls(visit: Visit) -> None:
    page = visit(WAVE + "&tab=steps")
    settled(page, "steps")
    page.emulate_media(media="print")
    for shown, place in ((False, ".top"), (False, "#tabs"), (True, "#derivative"), (True, "#panel .steps")):
        assert page.locator(place).is_visible() == shown, place


def test_scripts_in_what_is_typed_or_linked_do_not_run(visit: Visit) -> None:
    page = visit("#f=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&wrt=%3Cb%3E&n.%3Cscript%3E=matrix:n,n")
    api.expect(page.locator("#formula-mistake, #derivative-mistake").first).to_be_attached()
    page.get_by_label("Formula", exact=True).fill("</div><script>alert(1)</script>")
    shows(page, "#formula-mistake", re.compile("."))
    assert page.locator("main script, main img, main b").count() == 0


def test_a_long_derivative_is_broken_into_lines_or_fades_where_it_goes_on(visit: Visit) -> None:
    page = visit("#f=x^7*sin(x) + x^3*exp(2*x) + log(x)/x + sqrt(x + 1)*cos(x)&wrt=x", width=390)
    place = page.locator("#derivative")
    api.expect(place.locator("math.lines mtr").nth(2)).to_be_visible()
    assert place.evaluate("place => place.scrollWidth <= place.clientWidth + 1")
    page.set_viewport_size({"width": 1280, "height": 900})
    api.expect(place.locator("math.lines mtr").nth(2)).to_have_count(0)  # fewer lines where there is room
    page.goto(page.url.partition("#")[0] + "#f=exp(-x^2)*sin(3*x)/(1+x^2)^2*log(1+x^2)&wrt=x")
    page.set_viewport_size({"width": 390, "height": 900})
    api.expect(place).to_have_class(re.compile(r"\bgoes-on\b"))
    assert "gradient" in place.evaluate("place => getComputedStyle(place).maskImage")
    place.evaluate("place => place.scrollTo({ left: place.scrollWidth })")
    api.expect(place).not_to_have_class(re.compile(r"\bgoes-on\b"))
    api.expect(place).to_have_class(re.compile(r"\bwent-on\b"))
    assert violations(page) == []


def test_a_formula_that_is_too_wide_for_a_telephone_does_not_widen_the_page(visit: Visit) -> None:
    page = visit("#f=norm(X*w - y)^2 + lam*norm(w)^2 + log(1+exp(a'*w))*sum(w.^3)&wrt=w&tab=steps", width=390)
    settled(page, "steps")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_names_are_printed_as_a_table_of_words(visit: Visit) -> None:
    page = visit(LEAST_SQUARES + "&n.X=matrix:n,d:positive", width=390)
    shows(page, "#panel", "2*Xᵀ*(X*w - y)")
    table = page.locator("#names-printed table")
    assert not table.is_visible()
    page.emulate_media(media="print")
    assert table.is_visible()
    assert not page.locator("#names").is_visible()
    rows = [row.split() for row in table.locator("tbody tr").all_inner_texts()]
    assert rows == [["X", "matrix", "n", "×", "d", "positive"], ["w", "vector", "d"], ["y", "vector", "n"]]
