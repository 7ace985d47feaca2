"""Operates a suburb picker without a browser: reads its traits, and sends it the messages of a browser."""

import re
import threading
from html import unescape

BAY, HEIGHTS, HILL = "Quokka Bay", "Bilby Heights", "Kestrel Hill (Vic.)"
LOOK = {"background": "rgb(255, 255, 255)", "width": 640, "ratio": 1}


def say(picker, **message):
    """Send a picker a message as from the browser."""
    picker._handle_custom_msg(message, [])


def label(picker, name="load"):
    """Return the label of a button; in brackets, if it cannot be pressed."""
    button = picker._buttons[name]
    return button["label"] if button["offer"] else f"({button['label']})"


def start(picker, name="load"):
    """Press a button with the offer that it shows."""
    say(picker, press=name, offer=picker._buttons[name]["offer"], look=LOOK)


def press(picker, name="load"):
    """Press a button with the offer that it shows, and wait until the request has ended."""
    start(picker, name)
    finish()


def finish():
    """Wait until the requests of all pickers have ended."""
    for thread in threading.enumerate():
        if thread.name == "suburb_picker":
            thread.join()


def typed(picker, text):
    """Send a picker the typed text, and return the names that it suggests."""
    say(picker, search=text)
    assert picker._suggested["text"] == text
    return [hit["name"] for hit in picker._suggested["hits"]]


def text_of(html):
    """Return the text of a pane."""
    return unescape(re.sub(r"<[^>]*>", "", html))


def waiting(picker):
    """Return the texts that are not settled."""
    return [one["text"] for one in picker._unsettled]
