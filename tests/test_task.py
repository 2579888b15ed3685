"""When an answer solves a task."""

from __future__ import annotations

import pytest

from harness.scenario import Task
from harness.task import holds, solves


@pytest.mark.parametrize(
    'answer',
    [
        '318',
        'There are 318 brass hinges.',
        '**318** hinges',
        'It is `318`.',
        '(318)',
        '318, I think',
        'ref=318',
        '"318"',
    ],
)
def test_a_number_that_stands_on_its_own_is_found(answer: str) -> None:
    assert holds(answer, '318')


@pytest.mark.parametrize(
    'answer', ['1318', '3180', '3.18', '318.5', '-318', 'V318', '318b', '12.318', '1,318', '318:20']
)
def test_a_number_inside_another_one_is_not_found(answer: str) -> None:
    assert not holds(answer, '318')


@pytest.mark.parametrize('answer', ['41,200', "41'200", '41’200', '41\u202f200', '41200', '４１２００'])
def test_the_marks_that_group_digits_do_not_count(answer: str) -> None:
    assert holds(answer, '41200')
    assert holds(answer, '41,200')


def test_a_blank_between_two_numbers_groups_nothing() -> None:
    assert not holds('41 200', '41200')


@pytest.mark.parametrize('answer', ['room 4‑117', 'Room 4–117.', 'ROOM  4-117', 'room\n4-117'])
def test_case_white_space_and_kinds_of_dashes_do_not_count(answer: str) -> None:
    assert holds(answer, 'Room 4-117')


@pytest.mark.parametrize(('answer', 'text'), [('nonetheless', 'none'), ('Brennwalder', 'Brennwald'), ('x', 'xy')])
def test_a_word_inside_another_one_is_not_found(answer: str, text: str) -> None:
    assert not holds(answer, text)


@pytest.mark.parametrize(
    ('answer', 'text'),
    [
        ('長さは374メートルです。', '374'),
        ('길이는 374미터입니다', '374'),
        ('ยาว374เมตร', '374'),
        ('色は青です', '青'),
        ('桟橋はV3です', 'V3'),
    ],
)
def test_the_letters_of_scripts_without_blanks_may_stand_beside_it(answer: str, text: str) -> None:
    assert holds(answer, text)
    assert not holds(answer.replace(text, f'1{text}'), text) or not text.isascii()


def test_one_of_each_list_is_wanted_and_nothing_that_is_forbidden() -> None:
    task = Task(accept=('Brennwald',), also=(('3 May', 'May 3'), ('C',)), forbid=('Ostrin',))
    assert solves(task, 'At Brennwald, pier C, since May 3.')
    assert not solves(task, 'At Brennwald, since May 3.')
    assert not solves(task, 'At Brennwald or Ostrin, pier C, since 3 May.')
    assert not solves(task, 'Pier C, 3 May.')
    assert not solves(task, '')


def test_an_answer_that_says_everything_solves_nothing() -> None:
    task = Task(accept=('cannot',), max_length=20)
    assert solves(task, ' I cannot tell that. ')
    assert not solves(task, 'I can do it all, or cannot, as you like.')
