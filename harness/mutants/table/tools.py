"""Mistakes in finding and calling tools, and in telling their errors."""

from __future__ import annotations

from harness.mutants import Mutant, edit

_INVOKE = '        request = IInvokeTool.Invoke(tool_name=tool.function, input=copy.deepcopy(arguments))\n        self.instance.invoke(request, component_id=tool.node_id)\n'
_ERROR = "return observation_text({'tool': tool, 'error': to_text(error), 'type': type(error).__name__})"

MUTANTS = (
    Mutant(
        'tool-exception-is-fatal',
        'A tool that raises ends the run.',
        ('TOOL-2',),
        (
            edit(
                'loop.py',
                '    except BaseException as error:\n        # A tool that exits or is cancelled has failed like any other; the agent outlives it.\n        return error_text(call.name, error)',
                '    except BaseException:\n        raise',
            ),
        ),
    ),
    Mutant(
        'tool-that-exits-is-fatal',
        'A tool that raises SystemExit ends the run.',
        ('TOOL-2',),
        (
            edit(
                'loop.py',
                '    except BaseException as error:\n        # A tool',
                '    except Exception as error:\n        # A tool',
            ),
        ),
    ),
    Mutant(
        'error-without-type',
        'An error observation does not tell the type.',
        ('TOOL-2',),
        (edit('values.py', ", 'type': type(error).__name__", ''),),
    ),
    Mutant(
        'error-without-tool',
        'An error observation does not tell the tool.',
        ('TOOL-2',),
        (edit('values.py', "{'tool': tool, 'error'", "{'error'"),),
    ),
    Mutant(
        'error-is-a-sentence',
        'An error observation is a sentence.',
        ('TOOL-2',),
        (edit('values.py', _ERROR, "return f'Error calling {tool}: {type(error).__name__}: {error}'"),),
    ),
    Mutant(
        'error-as-python',
        'An error observation is a Python dict.',
        ('TOOL-2',),
        (edit('values.py', _ERROR, _ERROR.replace('observation_text(', 'str(')),),
    ),
    Mutant(
        'type-with-its-module',
        'The type of an error is told with its module.',
        ('TOOL-2',),
        (
            edit(
                'values.py',
                "'type': type(error).__name__",
                "'type': f'{type(error).__module__}.{type(error).__qualname__}'",
            ),
        ),
    ),
    Mutant(
        'failed-call-is-tried-again',
        'A call that raised is made a second time.',
        ('TOOL-1',),
        (
            edit(
                'channels.py',
                _INVOKE,
                _INVOKE.split('\n')[0]
                + '\n        try:\n    '
                + _INVOKE.split('\n')[1]
                + '\n        except ValueError:\n    '
                + _INVOKE.split('\n')[1]
                + '\n',
            ),
        ),
    ),
    Mutant(
        'call-goes-out-twice',
        'Every call is made twice.',
        ('TOOL-1',),
        (edit('channels.py', _INVOKE, _INVOKE + '        self.instance.invoke(request, component_id=tool.node_id)\n'),),
    ),
    Mutant(
        'input-is-wrapped',
        'The tool gets its input under the key `input`.',
        ('TOOL-1',),
        (edit('channels.py', 'input=copy.deepcopy(arguments))', "input={'input': copy.deepcopy(arguments)})"),),
    ),
    Mutant(
        'input-is-json-text',
        'The tool gets its input as JSON text.',
        ('TOOL-1',),
        (edit('channels.py', 'input=copy.deepcopy(arguments))', 'input=json.dumps(arguments))'),),
    ),
    Mutant(
        'unknown-keys-are-dropped',
        'Keys that the schema does not have do not reach the tool.',
        ('TOOL-1',),
        (
            edit(
                'channels.py',
                'input=copy.deepcopy(arguments))',
                "input={k: v for k, v in arguments.items() if k in tool.input_schema.get('properties', {k: 0})})",
            ),
        ),
    ),
    Mutant(
        'tool-changes-the-record',
        'The tool gets the very object that the step records.',
        ('TOOL-9',),
        (edit('channels.py', 'input=copy.deepcopy(arguments))', 'input=arguments)'),),
    ),
    Mutant(
        'inner-objects-are-shared-with-the-tool',
        'The tool gets a shallow copy of the input.',
        ('TOOL-9',),
        (edit('channels.py', 'input=copy.deepcopy(arguments))', 'input=dict(arguments))'),),
    ),
    Mutant(
        'unknown-tool-reaches-the-host',
        'A name that is no tool is tried at the first tool node.',
        ('TOOL-3',),
        (
            edit(
                'loop.py',
                '    if not call.known:\n        return error_text(call.name, tools.not_found(call.name))\n',
                '    if not call.known:\n'
                '        try:\n'
                '            tools.call(next(iter(tools)), call.arguments)\n'
                '        except Exception:\n'
                '            pass\n'
                '        return error_text(call.name, tools.not_found(call.name))\n',
            ),
        ),
    ),
    Mutant(
        'unknown-tool-ends-the-run',
        'A name that is no tool ends the run with an error.',
        ('TOOL-3',),
        (
            edit(
                'loop.py',
                '        return error_text(call.name, tools.not_found(call.name))\n',
                '        raise tools.not_found(call.name)\n',
            ),
        ),
    ),
    Mutant(
        'unknown-tool-is-a-key-error',
        'A name that is no tool is told as a KeyError.',
        ('TOOL-3',),
        (
            edit(
                'loop.py',
                'error_text(call.name, tools.not_found(call.name))',
                'error_text(call.name, KeyError(str(tools.not_found(call.name))))',
            ),
        ),
    ),
    Mutant(
        'known-tools-are-not-listed',
        'The error about an unknown tool does not list the tools that there are.',
        ('TOOL-3',),
        (edit('channels.py', '; the tools are: {", ".join(self.tools)}', ''),),
    ),
    Mutant(
        'unknown-tool-is-announced',
        'A name that is no tool is announced as a call.',
        ('SSE-2', 'TOOL-3'),
        (
            edit(
                'loop.py',
                '    if not call.known:\n',
                '    if not call.known:\n        if progress:\n            progress(call.name)\n',
            ),
        ),
    ),
    Mutant(
        'dead-tool-node-ends-the-run',
        'A tool node that cannot answer ends the run.',
        ('TOOL-8',),
        (
            edit(
                'channels.py',
                '        if not query.tools:\n            debug(',
                "        if not query.tools:\n            raise RuntimeError(f'{node_id} is away') from end\n        if not query.tools:\n            debug(",
            ),
        ),
    ),
    Mutant(
        'dead-tool-node-hides-the-others',
        'Behind a tool node that cannot answer no other one is asked.',
        ('TOOL-8', 'PROMPT-9'),
        (
            edit(
                'channels.py',
                "        tools = (tool for node in instance.getControllerNodeIds('tool') for tool in _discover(instance, node))\n",
                '        import itertools\n\n'
                "        found = (_discover(instance, node) for node in instance.getControllerNodeIds('tool'))\n"
                '        tools = itertools.chain.from_iterable(itertools.takewhile(bool, found))\n',
            ),
        ),
    ),
    Mutant(
        'name-without-its-node',
        'A tool is known by its function alone.',
        ('PROMPT-3', 'READ-22'),
        (
            edit(
                'channels.py',
                "        f'{node_id}.{function}', node_id, function,",
                '        function, node_id, function,',
            ),
        ),
    ),
    Mutant(
        'call-under-the-full-name',
        'The host is asked for the function under its full name.',
        ('TOOL-1',),
        (
            edit(
                'channels.py', 'IInvokeTool.Invoke(tool_name=tool.function,', 'IInvokeTool.Invoke(tool_name=tool.name,'
            ),
        ),
    ),
    Mutant(
        'call-goes-to-the-first-node',
        'Every call goes to the first tool node.',
        ('TOOL-1',),
        (
            edit(
                'channels.py',
                'self.instance.invoke(request, component_id=tool.node_id)',
                'self.instance.invoke(request, component_id=next(iter(self.tools.values())).node_id)',
            ),
        ),
    ),
    Mutant(
        'tools-are-found-once-for-all',
        'The tools of the first pipe are kept for all later ones.',
        ('FACE-10', 'LOOP-6'),
        (
            edit(
                'channels.py',
                '        return cls(instance, {tool.name: tool for tool in tools})',
                '        global _KEPT\n        _KEPT = _KEPT or cls(instance, {tool.name: tool for tool in tools})\n        return _KEPT',
            ),
            edit('channels.py', 'def _discover(', '_KEPT: Any = None\n\n\ndef _discover('),
        ),
    ),
    Mutant(
        'error-without-its-message',
        'An error observation tells the type in place of the message.',
        ('TOOL-2',),
        (edit('values.py', _ERROR, _ERROR.replace('to_text(error)', 'type(error).__name__')),),
    ),
    Mutant(
        'tools-in-one-namespace',
        'Of two nodes with functions of one name the calls of both go to the later node.',
        ('TOOL-1', 'READ-22'),
        (
            edit(
                'channels.py',
                '        tool = self.tools[name]\n',
                '        tool = {known.function: known for known in self.tools.values()}[self.tools[name].function]\n',
            ),
        ),
    ),
)
