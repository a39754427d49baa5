# SPDX-License-Identifier: Apache-2.0
"""What the tests of the page share."""
import os

import browser
import model
from views import *

TMP = os.environ["TMP"]


def asset(name):
    """What make joins for the program."""
    with open(os.path.join(os.environ["O"], name), encoding="utf-8") as file:
        return file.read()


def written(name, views):
    """Path of a page with these views."""
    path = os.path.join(TMP, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(model.page(views, asset("page-script.js"), asset("page-style.css")))
    return path
