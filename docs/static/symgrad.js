/* What the theme leaves to the keyboard and to screen readers: what scrolls can be focused, and landmarks have names. */

function focusable() {
    for (const part of document.querySelectorAll("pre, .table-wrapper, .formula, .symgrad-form")) {
        if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
    }
}

document.addEventListener("DOMContentLoaded", () => {
    document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "All pages");
    document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
    focusable();
});
window.addEventListener("load", focusable);
window.addEventListener("resize", focusable);
