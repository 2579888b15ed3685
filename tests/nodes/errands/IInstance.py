"""A node whose configuration says what it does: a list of errands, each a mapping with one known key."""

from __future__ import annotations

import builtins
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rocketlib import APERR, Ec, IInstanceBase, tool_function
from rocketlib.types import IInvokeLLM, IInvokeTool
from rocketride.schema import Answer, Question

if TYPE_CHECKING:
    from .IGlobal import IGlobal

ODD = {'nan': float('nan'), 'date': datetime(2025, 3, 4), 'set': {1}, 'surrogate': '\ud800', 'tuple': {(1, 2): 3}}


class IInstance(IInstanceBase):
    IGlobal: IGlobal

    def writeQuestions(self, question: Any) -> Any:
        return self._do_all(question, lane=True)

    @tool_function(
        input_schema={'type': 'object', 'properties': {'query': {'type': 'string'}}},
        output_schema=lambda self: {'type': 'object'},
        description=lambda self: f'Does {len(self.IGlobal.config["errands"])} errands',
    )
    def run_agent(self, given: Any) -> Any:
        if not isinstance(given, dict):
            raise ValueError('input must be an object')
        question = Question(role='')
        question.addQuestion(given['query'])
        return self._do_all(question, lane=False)

    def _do_all(self, question: Any, *, lane: bool) -> Any:
        results: list[Any] = []
        for errand in self.IGlobal.config['errands']:
            result = self._do(errand, question)
            if 'return' in errand:
                return result
            results.append(result)
        payload = {'content': ' '.join(map(str, results)), 'results': results}
        if lane:
            answer = Answer()
            answer.setAnswer(payload['content'])
            self.instance.writeAnswers(answer)
        return payload

    def _do(self, errand: dict[str, Any], question: Any) -> Any:
        match errand:
            case {'ask': text}:
                asked = question
                if text is not None:
                    asked = Question(role='')
                    asked.addQuestion(text)
                more = {'stop': errand['stop']} if 'stop' in errand else {}
                param = IInvokeLLM.Ask(question=asked, **more)
                return self.instance.invoke(param, component_id=self.instance.getControllerNodeIds('llm')[0]).getText()
            case {'swallow': inner}:
                try:
                    return self._do(inner, question)
                except Exception as error:
                    return f'{type(error).__name__}: {error}'
            case {'query': node}:
                param = IInvokeTool.Query()
                try:
                    self.instance.invoke(param, component_id=node)
                except APERR as error:
                    if error.ec != Ec.PreventDefault:
                        raise
                return param.tools
            case {'call': function, 'on': node, 'with': given}:
                param = IInvokeTool.Invoke(tool_name=function, input=given)
                self.instance.invoke(param, component_id=node)
                if errand.get('spoil') is not None:
                    param.output['spoilt'] = errand['spoil']
                    given['spoilt'] = errand['spoil']
                return param.output
            case {'send': data}:
                self.instance.sendSSE('thinking', **data)
            case {'raise': name}:
                raise getattr(builtins, name)('on purpose')
            case {'prevent': _}:
                self.preventDefault()
            case {'read': path}:
                found = self
                for part in path.split('.'):
                    found = getattr(found, part)
                return found
            case {'return': name}:
                return {'content': 'odd', 'value': ODD[name]} if name in ODD else name
            case {'instruct': text}:
                question.addInstruction('More', text)
        return None
