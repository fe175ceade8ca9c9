"""MoveJudge: did that move help? Frames in, snapshots, an honest verdict out."""
