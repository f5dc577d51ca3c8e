import assert from 'node:assert/strict';
import { optionKinds } from '../../../../src/permissions/programs/options';
import { programOf } from '../../../../src/permissions/programs/programNames';
import { PROGRAMS, programNamed } from '../../../../src/permissions/programs/programTable';

const programs = Object.values(PROGRAMS).flat();
const names = programs.flatMap((program) => program.names.split(' '));

describe('permissions: the table of programs', () => {
  it('has one record for each program', () => {
    assert.deepEqual(
      names.filter((name, at) => names.indexOf(name) !== at),
      [],
    );
    for (const program of programs)
      for (const name of program.names.split(' ')) assert.equal(programNamed(name), program);
  });

  it('has names as `programName` writes them', () => {
    assert.deepEqual(
      names.filter((name) => !/^(?:@?[a-z\d][\w.+@/-]*|[[:.])$/.test(name) || name !== name.toLowerCase()),
      [],
    );
  });

  it('names each command of a program once', () => {
    for (const { subcommands = [] } of programs) {
      const commands = subcommands.flatMap((command) => command.names.split(' '));
      assert.deepEqual(commands, [...new Set(commands)]);
    }
  });

  it('says something about each program, and options in their notation', () => {
    for (const { names: label, ...facts } of programs) assert.notDeepEqual(facts, {}, label);
    for (const { names: label, ...program } of programs.flatMap((each) => [each, ...(each.subcommands ?? [])])) {
      const odd = [...optionKinds(program).keys()].filter((option) => !/^(?:[\w#@.-]|[\w.-]{2,})$/.test(option));
      assert.deepEqual(odd, [], label);
    }
  });

  it('finds programs by their path, version and extension', () => {
    const found = (word: string): string | undefined => programOf([word])?.names;
    assert.equal(found('/usr/bin/python3.12'), found('python'));
    assert.equal(found('GIT.EXE'), found('git'));
    assert.equal(found('bash5'), found('bash'));
    assert.equal(found('frida-ps'), found('frida'));
    assert.equal(found('./git'), undefined);
    assert.equal(found('cat5'), undefined);
  });
});
