"""What an assembly cannot resolve: the kinds and their reasons, word for word (the assembling specification, §14)."""

from __future__ import annotations

TOOL_USE = ("tool_use", "a result arrived for a request that was never landed")
NO_RESULT = ("tool_result", "no result landed for this tool use")
SEVERAL_RESULTS = ("tool_result", "several results carry this tool-use id")
CHILD_STREAM = ("child_stream", "announced, but no transcript has landed yet")
SPAWN_OF_BATCH = ("spawn_call", "a batch names children but its launch call was never landed")
SPAWN_OF_CALL = ("spawn_call", "a child names a call that was never landed")
SPAWN_OF_CHILD = ("spawn_of_child", "no landed record names the call that started this stream")
EPOCH_CONTINUATION = ("epoch_continuation", "a reset names a record that is not in the landed data")
NOTIFIED_CHILD = ("notified_child", "a notification names a child whose stream has not landed")
