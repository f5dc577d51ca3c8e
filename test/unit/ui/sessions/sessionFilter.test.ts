import assert from 'node:assert/strict';
import {
  everything,
  filterChoices,
  filterOf,
  isChosen,
  isFiltering,
  matchesFilter,
} from '../../../../src/ui/sessions/sessionFilter';
import { item } from '../../history/search/sample';

describe('the filter of the session list', () => {
  const claude = { agent: { name: 'claude', title: 'Claude' }, agentSession: { id: '1', cwd: '/w/shop' } };
  const gemini = { agent: { name: 'gemini', title: 'Gemini' }, agentSession: { id: '2', cwd: '/w/blog' } };
  const items = [
    item('a', { ...claude, status: 'unread' }),
    item('b', { ...gemini, status: 'waiting' }),
    item('c', { ...claude, archived: true }),
    item('d', { imported: true }),
  ];
  const choices = filterChoices(items);
  const chosen = (...labels: string[]): string[] => {
    const filter = filterOf(choices.filter(({ label }) => labels.includes(label)));
    return items.filter((one) => matchesFilter(filter, one)).map(({ id }) => id);
  };

  it('shows all sessions without a selection', () => {
    assert.equal(isFiltering(everything), false);
    assert.deepEqual(chosen(), ['a', 'b', 'c', 'd']);
  });

  it('requires one of the selected values of each kind', () => {
    assert.deepEqual(chosen('Claude'), ['a', 'c']);
    assert.deepEqual(chosen('Claude', 'Gemini'), ['a', 'b', 'c']);
    assert.deepEqual(chosen('Claude', 'Unread'), ['a']);
    assert.deepEqual(chosen('Unread', 'Waiting for you'), ['a', 'b']);
    assert.deepEqual(chosen('shop', 'Archived'), ['c']);
    assert.deepEqual(chosen('Imported'), ['d']);
    assert.deepEqual(chosen('Gemini', 'shop'), []);
  });

  it('shows the current selection when it is opened again', () => {
    const filter = filterOf(choices.filter(({ label }) => label === 'Claude' || label === 'Unread'));
    assert.ok(isFiltering(filter));
    assert.deepEqual(
      choices.filter((choice) => isChosen(filter, choice)).map(({ label }) => label),
      ['Unread', 'Claude'],
    );
  });

  it('offers no kind with a single value', () => {
    assert.deepEqual(new Set(filterChoices([item('a', claude)]).map(({ group }) => group)), new Set(['State']));
  });
});
