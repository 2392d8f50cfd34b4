"""Cards and reports as a browser reads them: their tags, their attributes, their words."""

from html.parser import HTMLParser

HOSTILE = "<script>alert(1)</script>\x1b[31m\u202ex $\\frac{a}{b}$ [red]y[/red] \U000e0041 &amp; \"'"
ALLOWED_TAGS = {
    *("div", "style", "p", "strong", "small", "span", "code", "pre", "details", "summary"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "del", "ins"),
}
ALLOWED_ATTRIBUTES = {"class", "style", "open", "dir", "scope", "aria-hidden"}


class Reader(HTMLParser):
    """What a browser makes of a card: its tags, its attributes, its words."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.pieces, self.open = set(), set(), [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag not in ("span", "code", "small"):
            self.pieces.append(" ")

    def handle_data(self, data):
        if "style" not in self.open:
            self.pieces.append(data)

    @property
    def words(self):
        return " ".join("".join(self.pieces).split())
