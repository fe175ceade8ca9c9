"""Audio files as a stream of bounded blocks: WAV, AIFF, FLAC, OGG and MP3 through libsndfile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from pybackend.errors import AudioFileError, TargetMissing
from pybackend.metering.design import MAX_RATE_HZ, MIN_RATE_HZ

Pcm = npt.NDArray[np.float32]

MAX_CHANNELS: Final = 2
BLOCK_SAMPLES: Final = 1 << 17
"""Default length of a block: 1 MB of stereo."""
UNKNOWN_LENGTH: Final = 1 << 62
"""libsndfile reports an unknown length as a count near the largest 64-bit integer."""


def shown_path(path: str | Path) -> str:
    """Path as one printable line: bytes and characters that a terminal cannot show become ``?``."""
    text = str(path).encode("utf-8", "replace").decode("utf-8")
    return "".join(char if char.isprintable() else "?" for char in text)


def _import_soundfile() -> ModuleType:
    try:
        import soundfile  # noqa: PLC0415 - optional, and loads a shared library
    except (ImportError, OSError) as error:
        raise AudioFileError(
            'reading audio files needs the soundfile package; run: pip install "movejudge[audio]"'
        ) from error
    module: ModuleType = soundfile
    return module


def _check_path(path: Path) -> None:
    shown = shown_path(path)
    try:
        if path.is_dir():
            raise AudioFileError(f"{shown} is a folder; name an audio file in it")
        if not path.exists():
            raise TargetMissing(f"{shown} does not exist; check the path")
        if not path.is_file():
            raise AudioFileError(f"{shown} is not a regular file; name an audio file")
        with path.open("rb") as handle:
            if not handle.read(1):
                raise AudioFileError(f"{shown} is empty (0 bytes); export it again")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise AudioFileError(f"{shown} cannot be opened: {reason}; check the path") from error


class AudioReader:
    """An open audio file of one or two channels.

    Use it as a context manager.

    Parameters
    ----------
    path : str or Path
        File to read.

    Attributes
    ----------
    sample_rate_hz : int
        From `design.MIN_RATE_HZ` to `design.MAX_RATE_HZ`.
    channels : int
        1 or 2.
    expected_samples : int or None
        Samples per channel that the header promises; None where the format does not say.

    Raises
    ------
    TargetMissing
        The file does not exist.
    AudioFileError
        The file is a folder, empty, no audio that libsndfile knows, of an unsupported rate or
        channel count, or soundfile is not installed.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._shown = shown_path(self.path)
        soundfile = _import_soundfile()
        _check_path(self.path)
        self._error = soundfile.SoundFileError
        try:
            # Bytes, where the system has them, also name a file whose name is no valid text.
            name = str(self.path) if os.name == "nt" else os.fsencode(self.path)
            self._file = soundfile.SoundFile(name)
        except (self._error, TypeError, UnicodeError) as error:
            # TypeError: soundfile takes the name .raw as headerless and then asks for a rate.
            raise AudioFileError(
                f"{self._shown} is not a readable audio file; give WAV, AIFF, FLAC, OGG or MP3"
            ) from error
        self.sample_rate_hz = int(self._file.samplerate)
        self.channels = int(self._file.channels)
        frames = int(self._file.frames)
        self.expected_samples = frames if frames < UNKNOWN_LENGTH else None
        try:
            self._check_format()
        except AudioFileError:
            self._file.close()
            raise

    def _check_format(self) -> None:
        if self.channels > MAX_CHANNELS:
            raise AudioFileError(
                f"{self._shown} has {self.channels} channels; MoveJudge measures mono and stereo:"
                " export a stereo mix"
            )
        if not MIN_RATE_HZ <= self.sample_rate_hz <= MAX_RATE_HZ:
            raise AudioFileError(
                f"{self._shown} has a sample rate of {self.sample_rate_hz} Hz, outside"
                f" {MIN_RATE_HZ}-{MAX_RATE_HZ} Hz; convert it first"
            )
        if self.expected_samples == 0:
            raise AudioFileError(f"{self._shown} holds no samples; export it again")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def blocks(self, block_samples: int = BLOCK_SAMPLES) -> Iterator[Pcm]:
        """Samples from the start to the end of the file.

        Parameters
        ----------
        block_samples : int
            Most samples per channel in one block.

        Yields
        ------
        ndarray of float32, shape (n, channels)
            A new array each time; integer formats are scaled to full scale 1.

        Raises
        ------
        AudioFileError
            The file is damaged, or holds no samples.
        """
        count = 0
        while True:
            block = self._read(block_samples, count)
            if len(block) == 0:
                break
            count += len(block)
            yield block
        if count == 0:
            raise AudioFileError(f"{self._shown} holds no samples; export it again")

    def _read(self, block_samples: int, count: int) -> Pcm:
        try:
            block: Pcm = self._file.read(block_samples, dtype="float32", always_2d=True)
        except self._error as error:
            raise AudioFileError(
                f"{self._shown} is damaged after {count / self.sample_rate_hz:.1f} s;"
                " export it again"
            ) from error
        return block
