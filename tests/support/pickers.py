"""A suburb picker without a browser: its buttons and panes, and the messages that a browser would send."""

from ipywidgets import HTML, Button

BAY, HEIGHTS, HILL = "Quokka Bay", "Bilby Heights", "Kestrel Hill (Vic.)"


def inside(widget):
    """Give all widgets in a box."""
    for child in getattr(widget, "children", ()):
        yield child
        yield from inside(child)


def button(picker, label):
    """Give the button that begins so."""
    (found,) = [one for one in inside(picker) if isinstance(one, Button) and one.description.startswith(label)]
    return found


def shown(picker):
    """Give all HTML that a picker shows."""
    return "\n".join(one.value for one in inside(picker) if isinstance(one, HTML))


def say(picker, **message):
    """Let a picker hear a message of the browser."""
    picker._controls._handle_custom_msg(message, [])


def typed(picker, text):
    """Let a picker hear what was typed, and give what it suggests."""
    say(picker, search=text, number=f"page.{text}")
    assert picker._controls.answer["number"] == f"page.{text}"
    return [hit["name"] for hit in picker._controls.answer["hits"]]


def seen(picker, name="load"):
    """Give the message of a press in a browser that shows what a picker shows now."""
    one = {"load": picker._load, "look-up": picker._look_up}[name]
    return {"press": name, "offer": picker._controls.offers[name], "seen": one.description}


def press(picker, label):
    """Press the button that begins so, as a browser tells of it."""
    name = "load" if button(picker, label) is picker._load else "look-up"
    say(picker, **seen(picker, name))
