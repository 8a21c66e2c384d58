"""Uses of tools joined with their results (the assembling specification, §6)."""

from __future__ import annotations

from .entries import MANIFEST, Entry, ToolBlock
from .identity import named, quote
from .picture import Picture
from .unresolved import NO_RESULT, SEVERAL_RESULTS, TOOL_USE


class Tool:
    """A tool's use and its results.

    Attributes:
        stream: where its id was first met, by use or by result.
        use, use_block: the first record and block that use it; None when only results landed.
        result, result_block: the first that carry its result; ``results`` how many there are.
        starts_agent: whether it started a child that is no auxiliary one.
    """

    __slots__ = ("name", "node", "result", "result_block", "results", "starts_agent", "stream", "use", "use_block")

    def __init__(self, name: str, stream: str) -> None:
        self.name, self.stream, self.node = name, stream, named("tool", name)
        self.use: Entry | None = None
        self.result: Entry | None = None
        self.use_block: ToolBlock | None = None
        self.result_block: ToolBlock | None = None
        self.results = 0
        self.starts_agent = False

    def result_ref(self) -> str:
        """The address of the first result with its block; empty without."""
        if self.result is None or self.result_block is None:
            return ""
        return self.result.ref_of(self.result_block.block)


def join_tools(picture: Picture) -> None:
    """Find every tool that a block of a stream names."""
    tools = picture.tools
    for stream, entries in picture.by_stream():
        for entry in entries:
            for block in entry.tools:
                tool = tools.get(block.tool)
                if tool is None:
                    tool = tools[block.tool] = Tool(block.tool, stream)
                if not block.is_use:
                    tool.results += 1
                    if tool.result is None:
                        tool.result, tool.result_block = entry, block
                elif tool.use is None:
                    tool.use, tool.use_block = entry, block
    for tool in sorted(tools.values(), key=_by_node):
        if tool.use is None:
            picture.store.leave_open(TOOL_USE[0], tool.name, TOOL_USE[1])
        elif tool.results != 1:
            kind, reason = SEVERAL_RESULTS if tool.results else NO_RESULT
            picture.store.leave_open(kind, tool.name, reason)


def _by_node(tool: Tool) -> str:
    return tool.node


def tool_nodes(picture: Picture) -> None:
    """Make the nodes of the tools whose use landed."""
    store = picture.store
    manifests: dict[str, Entry] = {}
    for entry in picture.window:
        if entry.kind is MANIFEST and entry.batch:
            manifests.setdefault(entry.batch, entry)
    for tool in sorted(picture.tools.values(), key=_by_node):
        use, block = tool.use, tool.use_block
        if use is None or block is None:
            continue
        call = named("call", use.call) if use.call else ""
        parent = call if call in store.kinds else use.container
        refs = [use.ref_of(block.block)]
        if tool.results == 1:
            refs.append(tool.result_ref())
        manifest = manifests.get(tool.result.batch) if tool.result is not None and tool.result.batch else None
        if manifest is not None:
            refs.append(manifest.ref)
        kind = "agent.call" if tool.starts_agent else "tool"
        store.node(tool.node, kind, parent, tool.stream, refs[0], refs, _attrs(tool, block, manifest))
        if block.name == "Bash":
            picture.bash_runs.add(tool.node)
        else:
            picture.bash_runs.discard(tool.node)


def _attrs(tool: Tool, block: ToolBlock, manifest: Entry | None) -> str:
    attrs = f'"launched":{quote(manifest.label)},' if manifest is not None and manifest.label else ""
    if block.server:
        attrs += f'"mcp_server":{quote(block.server)},"mcp_tool":{quote(block.server_tool)},'
    attrs += f'"name":{quote(block.name)}'
    if tool.results == 1:
        return attrs + ',"result":"available","result_join":"exact_unique","timing":"unavailable"'
    join = "exact_ambiguous" if tool.results else "unresolved"
    return f'{attrs},"result":"unavailable","result_join":"{join}","timing":"unavailable"'
