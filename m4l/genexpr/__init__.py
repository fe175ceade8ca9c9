"""The subset of GenExpr that the device is written in: reader, lint and two back ends."""
