import contextlib
import json
import re
import uuid
from datetime import UTC, datetime

from rocketlib import IGlobalBase, IInstanceBase, tool_function
from rocketlib.types import IInvokeLLM, IInvokeTool
from rocketride.schema import Answer, Question

RULES = """Answer the question. You may use tools. Write either

Thought: what you think
Action: the name of a tool
Action Input: {"its": "arguments"}

or, when you know the answer,

Thought: I know it
Answer: the answer

Tools:
"""
STEP = re.compile(r'^\s*Action:\s*(.+?)\s*$\s*^\s*Action Input:\s*(.*)', re.MULTILINE | re.DOTALL)
GAVE_UP = 'Agent stopped after reaching the maximum number of reasoning steps.'


class IGlobal(IGlobalBase):
    def beginGlobal(self):
        given = self.glb.connConfig
        settings = given.toDict() if hasattr(given, 'toDict') else dict(given or {})
        self.hints = [hint.strip() for hint in settings.get('instructions') or [] if hint.strip()]
        self.about = settings.get('agent_description') or ''
        self.strict = str(settings.get('require_tool_call')).lower() in ('true', '1', 'yes', 'on')


class IInstance(IInstanceBase):
    def writeQuestions(self, question):
        result = Run(self, question).go()
        answer = Answer()
        answer.setAnswer(result['content'])
        self.instance.writeAnswers(answer)
        return result

    @tool_function(
        input_schema={
            'type': 'object',
            'properties': {'query': {'type': 'string'}, 'context': {'type': 'object'}},
            'required': ['query'],
        },
        description=lambda self: f'{self.IGlobal.about} Runs this agent.'.strip(),
    )
    def run_agent(self, args):
        if not isinstance(args, dict):
            raise ValueError('the input must be an object')
        if not isinstance(args.get('query'), str) or not args['query'].strip():
            raise ValueError('the query must be a text')
        if not isinstance(args.get('context') or {}, dict):
            raise ValueError('the context must be an object')
        question = Question(role='')
        question.addQuestion(args['query'])
        if args.get('context'):
            question.addContext(
                json.dumps({'type': 'RocketRide.agent.tool_context.v1', 'context': args['context']}, default=str)
            )
        return Run(self, question).go()


class Run:
    def __init__(self, node, question):
        self.node = node
        self.host = node.instance
        self.question = question
        self.steps = []
        self.called = 0
        self.started = now()

    def go(self):
        llms = self.host.getControllerNodeIds('llm')
        if len(llms) != 1:
            raise ValueError(f'exactly one llm has to be connected, there are {len(llms)}')
        self.llm = llms[0]
        self.host.sendSSE('thinking', message='Starting homemade agent...')
        try:
            content, stack = self.loop(), []
        except Exception as error:
            content = str(error) or type(error).__name__
            stack = [
                entry('RocketRide.agent.error.v1', 'exception', {'type': type(error).__name__, 'message': content})
            ]
        else:
            if self.node.IGlobal.strict and not self.called:
                content = 'refused: a tool call is required, and there was none (without invoking any tool)'
                stack = [
                    entry(
                        'RocketRide.agent.guard.v1',
                        'tool_call_required',
                        {'guard': 'require_tool_call', 'message': content},
                    )
                ]
        stack.append(entry('RocketRide.agent.raw.v1', 'framework.output', self.steps))
        meta = {'framework': 'homemade', 'agent_id': 'homemade', 'run_id': str(uuid.uuid4())}
        return {'content': content, 'meta': {**meta, 'started_at': self.started, 'ended_at': now()}, 'stack': stack}

    def loop(self):
        tools = self.find_tools()
        for _ in range(10):
            text = self.ask(tools)
            step = STEP.search(text) if tools else None
            if step is None:
                return text.rpartition('Answer:')[2].strip() if 'Answer:' in text else text.strip()
            name, given = step.group(1), arguments(step.group(2))
            observation = self.call(tools, name, given)
            self.steps.append({'action': name, 'action_input': given, 'observation': observation})
        return GAVE_UP

    def find_tools(self):
        found = {}
        for node_id in self.host.getControllerNodeIds('tool'):
            query = IInvokeTool.Query()
            with contextlib.suppress(Exception):
                self.host.invoke(query, component_id=node_id)
            for tool in query.tools:
                found[f'{node_id}.{tool["name"]}'] = (node_id, tool)
        return found

    def ask(self, tools):
        question = self.question.model_copy(deep=True)
        for hint in self.node.IGlobal.hints:
            question.addInstruction('Instruction', hint)
        if tools:
            lines = [
                f'- {name}: {tool["description"]} {json.dumps(tool["inputSchema"])}'
                for name, (_, tool) in tools.items()
            ]
            question.role = '\n'.join(part for part in (question.role, RULES + '\n'.join(lines)) if part)
            for step in self.steps:
                question.addContext(
                    f'Action: {step["action"]}\nAction Input: {json.dumps(step["action_input"], ensure_ascii=False)}\n'
                    f'Observation: {step["observation"]}'
                )
        ask = IInvokeLLM.Ask(question=question, stop=['Observation:'])
        text = self.host.invoke(ask, component_id=self.llm).getText() or ''
        return text.split('\nObservation:')[0]

    def call(self, tools, name, given):
        if name not in tools:
            return error(name, 'ToolNotFoundError', f'there is no {name}, only {", ".join(tools)}')
        self.host.sendSSE('thinking', message=f'Calling {name}...', tool=name)
        self.called += 1
        node_id, tool = tools[name]
        invoke = IInvokeTool.Invoke(tool_name=tool['name'], input=given)
        try:
            self.host.invoke(invoke, component_id=node_id)
        except Exception as problem:
            return error(name, type(problem).__name__, str(problem))
        output = invoke.output
        return json.dumps(output, ensure_ascii=False) if isinstance(output, dict | list) else str(output)


def arguments(text):
    """Take what looks like JSON; whatever cannot be read is no arguments at all."""
    found = re.search(r'\{.*\}', text, re.DOTALL)
    try:
        return json.loads(found.group()) if found else {}
    except ValueError:
        return {}


def error(tool, kind, message):
    return json.dumps({'tool': tool, 'error': message, 'type': kind})


def entry(kind, name, payload):
    return {'kind': kind, 'name': name, 'payload': payload}


def now():
    return datetime.now(UTC).isoformat()
