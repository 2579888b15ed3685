"""What no node may do, each by its name; a deed may return what the node then returns as its payload."""

from __future__ import annotations

import builtins
import concurrent.futures
import ctypes
import locale
import logging
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from typing import TYPE_CHECKING, Any, NoReturn

from rocketlib.types import IInvokeLLM, IInvokeTool
from rocketride.schema import Question

if TYPE_CHECKING:
    from collections.abc import Callable

DEEDS: dict[str, Callable[[Any], Any]] = {}


def deed(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    DEEDS[function.__name__] = function
    return function


def ask(node: Any, text: str = 'Say something.') -> str:
    question = Question(role='')
    question.addQuestion(text)
    answer: str = node.instance.invoke(IInvokeLLM.Ask(question=question), component_id='llm_1').getText()
    return answer


@deed
def nothing(node: Any) -> None:
    pass


# -------------------------------------------------------------------------------------------------------------- raises


class Mute(BaseException):
    def __str__(self) -> str:
        raise RuntimeError('no text')


@deed
def raise_error(node: Any) -> None:
    raise ValueError('on purpose')


@deed
def raise_mute(node: Any) -> None:
    raise Mute


@deed
def leave(node: Any) -> None:
    sys.exit(3)


@deed
def interrupt(node: Any) -> None:
    raise KeyboardInterrupt


@deed
def recurse(node: Any) -> None:
    recurse(node)


# --------------------------------------------------------------------------------------------------------------- hangs


@deed
def sleep(node: Any) -> None:
    time.sleep(3600)


@deed
def nap(node: Any) -> None:
    for _ in range(36_000):
        time.sleep(0.1)


@deed
def spin(node: Any) -> NoReturn:
    while True:
        pass


@deed
def spin_in_compiled_code(node: Any) -> None:
    re.match(r'(a|a)*$', 'a' * 60 + 'b')


@deed
def spin_through_everything(node: Any) -> NoReturn:
    while True:
        try:
            spin(node)
        except BaseException:
            continue


@deed
def wait_for_a_lock(node: Any) -> None:
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


@deed
def wait_for_a_busy_thread(node: Any) -> None:
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(spin, node).result()


@deed
def hang_in_repr(node: Any) -> Any:
    class Slow:
        def __repr__(self) -> str:
            time.sleep(3600)
            return ''

    return {'content': Slow()}


@deed
def read_input(node: Any) -> Any:
    return {'content': input()}


# -------------------------------------------------------------------------------------------------------------- floods


@deed
def ask_for_ever(node: Any) -> NoReturn:
    while True:
        ask(node)


@deed
def ask_for_ever_whatever_comes(node: Any) -> NoReturn:
    while True:
        try:
            ask(node)
        except Exception:
            continue


@deed
def call_for_ever(node: Any) -> NoReturn:
    while True:
        node.instance.invoke(IInvokeTool.Invoke(tool_name='look', input={}), component_id='box_1')


@deed
def send_for_ever(node: Any) -> NoReturn:
    while True:
        node.instance.sendSSE('thinking', message='.')


@deed
def ask_more_and_more(node: Any) -> NoReturn:
    text = 'x' * 1_000_000
    while True:
        ask(node, text)
        text += text


@deed
def send_a_bomb(node: Any) -> None:
    node.instance.sendSSE('thinking', message=bomb(node))


@deed
def print_for_ever(node: Any) -> NoReturn:
    while True:
        print('x' * 100_000)


# ---------------------------------------------------------------------------------------------------------------- ends


@deed
def end_the_process(node: Any) -> None:
    os._exit(7)


@deed
def end_the_process_from_a_thread(node: Any) -> None:
    thread = threading.Thread(target=os._exit, args=(7,))
    thread.start()
    thread.join()


@deed
def crash(node: Any) -> None:
    ctypes.string_at(0)


@deed
def kill(node: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


# -------------------------------------------------------------------------------------------------------------- prints


@deed
def say(node: Any) -> None:
    print('said')


@deed
def say_to_the_buffer(node: Any) -> None:
    sys.stdout.buffer.write(b'said\n')


@deed
def say_to_the_first_stdout(node: Any) -> None:
    print('said', file=sys.__stdout__)


@deed
def say_to_the_descriptor(node: Any) -> None:
    os.write(1, b'said\n')


@deed
def let_a_program_say(node: Any) -> None:
    subprocess.run([sys.executable, '-c', 'print("said")'], check=True)


@deed
def close_stdout(node: Any) -> None:
    print('said')
    sys.stdout.close()


# ------------------------------------------------------------------------------------------------------------- garbage


class Odd:
    def __repr__(self) -> str:
        raise RuntimeError('no repr')


class Broken(dict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError('no items')


@deed
def huge(node: Any) -> Any:
    return {'content': 'x' * 100_000_000}


@deed
def bomb(node: Any) -> Any:
    value: Any = 'boom'
    for _ in range(64):
        value = [value, value]
    return {'content': value}


@deed
def cycle(node: Any) -> Any:
    value: dict[str, Any] = {'content': 'x'}
    value['self'] = value
    return value


@deed
def generator(node: Any) -> Any:
    return (number for number in range(3))


@deed
def odd(node: Any) -> Any:
    return {'content': Odd(), Odd(): 1}


@deed
def broken(node: Any) -> Any:
    return Broken(content='x')


# ------------------------------------------------------------------------------------------------------------- threads


@deed
def leave_a_thread(node: Any) -> None:
    threading.Thread(target=time.sleep, args=(3600,), name='left-1').start()


@deed
def leave_a_thread_that_holds_the_process(node: Any) -> None:
    threading.Thread(target=time.sleep, args=(3600,), name='left-2', daemon=False).start()


@deed
def leave_a_pool(node: Any) -> None:
    concurrent.futures.ThreadPoolExecutor(1, 'left').submit(time.sleep, 3600)


@deed
def leave_a_thread_that_prints(node: Any) -> None:
    def run() -> None:
        while True:
            print('still here')
            os.write(1, b'still here\n')

    threading.Thread(target=run, name='left', daemon=False).start()


@deed
def leave_a_thread_that_ends_soon(node: Any) -> None:
    threading.Thread(target=time.sleep, args=(0.02,)).start()


# --------------------------------------------------------------------------------------------------------------- state


@deed
def change_the_folder(node: Any) -> None:
    os.chdir('/')


@deed
def change_the_environment(node: Any) -> None:
    os.environ['UNRULY'] = 'secret value'
    del os.environ['PATH']


@deed
def change_the_search_path(node: Any) -> None:
    sys.path.insert(0, '/nowhere')


@deed
def change_the_warnings(node: Any) -> None:
    warnings.resetwarnings()
    warnings.simplefilter('error')


@deed
def change_the_log(node: Any) -> None:
    logging.basicConfig(level=logging.DEBUG, force=True)
    logging.disable(logging.CRITICAL)


@deed
def change_the_recursion_limit(node: Any) -> None:
    sys.setrecursionlimit(200)


@deed
def change_the_locale(node: Any) -> None:
    other = 'C' if locale.setlocale(locale.LC_ALL) != 'C' else 'C.UTF-8'
    locale.setlocale(locale.LC_ALL, other)


@deed
def change_the_hooks(node: Any) -> None:
    sys.excepthook = print


@deed
def change_the_builtins(node: Any) -> None:
    builtins.open = None  # type: ignore[assignment]


@deed
def change_stdout(node: Any) -> None:
    sys.stdout = None  # type: ignore[assignment]


@deed
def change_a_signal(node: Any) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


@deed
def change_the_random_numbers(node: Any) -> None:
    random.seed(1)
