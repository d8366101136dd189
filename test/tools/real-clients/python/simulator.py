"""What the scripts share: where the simulator is, what a person does there, and how they tell what came of it."""

import json
import os
import urllib.request

ORIGIN = os.environ["ORIGIN"]


def control(path, body):
    request = urllib.request.Request(
        os.environ["CONTROL"] + path,
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def exchanges(provider):
    address = f"{os.environ['CONTROL']}/control/requests?provider={provider}"
    with urllib.request.urlopen(address, timeout=20) as answer:
        return json.load(answer)["requests"]


def tell(**found):
    print(json.dumps(found, default=str))
