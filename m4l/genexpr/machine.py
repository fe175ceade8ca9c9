"""Runs a compiled kernel as Max runs gen~: state lives on between blocks, a rate change resets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from pybackend.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from m4l.genexpr.ir import Code

    Array = NDArray[np.float64]

HistoryReading = Literal["immediate", "deferred"]
"""When a written History shows its new value: at once, or from the next sample on."""

Step = Callable[[Any, Any, Any, Any, Any, float], None]
"""``step(inputs, outputs, history, params, data, rate)``: runs a block and updates the state."""


class Machine:
    """One instance of a gen~ object.

    Parameters
    ----------
    code : Code
        The program, for names and initial values.
    step : callable
        Kernel of a back end.
    sample_rate_hz : float
        What the program reads as ``samplerate``.
    """

    def __init__(self, code: Code, step: Step, sample_rate_hz: float) -> None:
        self._code = code
        self._step = step
        self._history_index = {name: i for i, (name, _) in enumerate(code.histories)}
        self._param_index = {name: i for i, (name, _) in enumerate(code.params)}
        self._params = _array([value for _, value in code.params])
        self.reset(sample_rate_hz)

    def reset(self, sample_rate_hz: float) -> None:
        """Set the rate; History and Data start from their initial values, Params stay."""
        if not 0.0 < sample_rate_hz < float("inf"):
            raise InputError(f"sample rate {sample_rate_hz} Hz: give a positive number")
        self._rate_hz = float(sample_rate_hz)
        self._history = _array([value for _, value in self._code.histories])
        self._data = _array([0.0] * self._code.data_size)

    def run(self, inputs: Array) -> Array:
        """Process a block; consecutive blocks continue the same signal.

        Parameters
        ----------
        inputs : ndarray, shape (n, inlets), float64
            One column per ``inK``.

        Returns
        -------
        ndarray, shape (n, outlets), float64
            One column per ``outK``.

        Raises
        ------
        InputError
            The block has another number of columns.
        """
        import numpy as np  # noqa: PLC0415 - m4l itself needs only the standard library

        block = np.array(inputs, dtype=np.float64, order="C")  # kernels need a writable block
        if block.ndim != 2 or block.shape[1] != self._code.inputs:
            raise InputError(f"inputs of shape {block.shape}: give (n, {self._code.inputs})")
        outputs = np.zeros((len(block), self._code.outputs))
        self._step(block, outputs, self._history, self._params, self._data, self._rate_hz)
        return outputs

    def set_param(self, name: str, value: float) -> None:
        """Set a Param from outside, as a message to gen~ does."""
        self._params[self._param_index[name]] = value

    def history(self, name: str) -> float:
        """Value of a History after the last block."""
        return float(self._history[self._history_index[name]])

    def data(self, name: str) -> Array:
        """Copy of a Data after the last block, shape (length, channels)."""
        slot = next(slot for slot in self._code.data if slot.name == name)
        flat = self._data[slot.offset : slot.offset + slot.size]
        return flat.reshape(slot.channels, slot.length).T.copy()


def _array(values: list[float]) -> Array:
    import numpy as np  # noqa: PLC0415 - m4l itself needs only the standard library

    return np.array(values, dtype=np.float64)
