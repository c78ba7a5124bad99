"""QR codes for the terminal, read by zxing."""

import pathlib

import numpy
import zxingcpp

from checks import check, same

FOLDER = pathlib.Path(__file__).parent.parent / "Fixtures" / "QRCodes"


def picture(text, light):
    """Draws half-block characters with modules of 4 pixels; `light` is the gray of a drawn module."""
    rows = []
    for line in text.split("\n"):
        for blocks in ("█▀", "█▄"):
            rows.append([light if character in blocks else 255 - light for character in line])
    width = max(map(len, rows))
    rows = [row + [255 - light] * (width - len(row)) for row in rows]
    return numpy.kron(numpy.array(rows, dtype=numpy.uint8), numpy.ones((4, 4), dtype=numpy.uint8))


@check("qr: zxing reads the codes as they are drawn on a dark and on a light terminal")
def decodes(lab):
    names = sorted(path.stem for path in FOLDER.glob("*.uri"))
    assert len(names) >= 4
    for name in names:
        light = 0 if name == "inverted" else 255
        drawn = (FOLDER / f"{name}.txt").read_text().rstrip("\n")
        found = zxingcpp.read_barcodes(picture(drawn, light))
        same([code.text for code in found], [(FOLDER / f"{name}.uri").read_text().strip()], name)
        same([str(code.format) for code in found], [str(zxingcpp.BarcodeFormat.QRCode)], name)
