"""Who may ask: the address in Host, where a page comes from, and the token; and what each answer forbids a browser.

A page of another site can make a browser send requests to 127.0.0.1, by an address that it lets point there (DNS
rebinding). Its Host is then that site's name, which is not among the names that are answered.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import socket
from collections.abc import Mapping
from typing import NamedTuple

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}
TOKEN = "x-symgrad-token"
PAGES = ("/", "/sheet")  # that a link may open
MOST_PORT = 2**16 - 1
_HOST = re.compile(r"(?:(?P<name>[A-Za-z0-9._-]+)|\[(?P<six>[0-9A-Fa-f:.]+)\])(?::(?P<port>[0-9]{0,5}))?")
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Guard(NamedTuple):
    """Whom a server answers.

    Attributes:
        host: the address that it is bound to.
        token: what requests must carry, or None.
        names: names of this machine under which it may be asked, beside addresses.
    """

    host: str = "127.0.0.1"
    token: str | None = None
    names: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether other machines reach it."""
        return not is_loopback(self.host)

    def refusal(self, headers: Mapping[str, str], path: str = "", method: str = "POST") -> str | None:
        """Return why a request is refused, or None: its Host and where it comes from.

        A link in a mail or on the page of a course leads here from anywhere: opening a page is no request of another
        one's. It can neither send anything nor see the answer.
        """
        host = headers.get("host", "")
        name = _name(host)
        if name is None or not self._is_known(name):
            return "this server does not answer to that name. Open the address that symgrad serve printed."
        origin = headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return "this server answers its own page only, and the request comes from another one."
        opened = method == "GET" and path in PAGES and headers.get("sec-fetch-mode", "navigate") == "navigate"
        if not opened and headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return "this server answers its own page only, and the request comes from another one."
        return None

    def has_token(self, given: str | None) -> bool:
        """Whether what came is the token, where there is one."""
        return self.token is None or hmac.compare_digest(self.token.encode(), (given or "").encode())

    def _is_known(self, name: str) -> bool:
        if name in LOOPBACK:
            return True
        if not self.is_open:
            return name == self.host
        own = (*self.names, socket.gethostname().lower())
        return _is_address(name) or name in own or name.removesuffix(".local") in own  # as machines of a room find it


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine only."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _name(host: str) -> str | None:
    """Return the name in a Host header, without its port; None where it is no host and port of RFC 9110, section 7.2.

    Of the names that RFC 3986 allows, these are the ones that machines have: letters, digits, hyphens and points.
    """
    match = _HOST.fullmatch(host)
    if match is None or int(match["port"] or 0) > MOST_PORT:
        return None
    if match["name"] is not None:
        return match["name"].lower()
    try:
        return str(ipaddress.IPv6Address(match["six"]))
    except ValueError:
        return None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
