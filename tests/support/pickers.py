"""Operates a suburb picker without a browser: reads its widgets, and sends it the messages of a browser."""

from ipywidgets import HTML, Button

from suburb_pandas.notebook.widgets import widgets_in

BAY, HEIGHTS, HILL = "Quokka Bay", "Bilby Heights", "Kestrel Hill (Vic.)"


def button(picker, label):
    """Return the button whose label begins with a text."""
    (found,) = [one for one in widgets_in(picker) if isinstance(one, Button) and one.description.startswith(label)]
    return found


def shown(picker):
    """Return all HTML that a picker shows."""
    return "\n".join(one.value for one in widgets_in(picker) if isinstance(one, HTML))


def notes(picker):
    """Return the sentences that stand beside the prices."""
    return [note["text"] for note in picker._controls.price]


def say(picker, **message):
    """Send a picker a message as from the browser."""
    picker._controls._handle_custom_msg(message, [])


def typed(picker, text):
    """Send a picker the typed text, and return the names that it suggests."""
    say(picker, search=text, number=f"page.{text}")
    assert picker._controls.answer["number"] == f"page.{text}"
    return [hit["name"] for hit in picker._controls.answer["hits"]]


def seen(picker, name="load"):
    """Return the message of a press in a browser that shows the current state of the picker."""
    one = {"load": picker._load, "look-up": picker._look_up}[name]
    return {"press": name, "offer": picker._controls.offers[name], "seen": one.description}


def press(picker, label):
    """Press the button whose label begins with a text, by a message as from the browser."""
    name = "load" if button(picker, label) is picker._load else "look-up"
    say(picker, **seen(picker, name))
