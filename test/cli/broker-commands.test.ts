import { Command } from 'commander';
import { expect, it } from 'vitest';
import { addBrokerCommands } from '../../src/cli/broker/broker-commands.ts';
import { OPERATIONS } from '../../src/wire/rest/operations.ts';

it('has one command for each operation of the service, under its name', () => {
  const program = new Command();
  addBrokerCommands(program, { io: { out: () => undefined, err: () => undefined }, finish: () => undefined });
  const [broker] = program.commands;
  const names = broker?.commands.map((command) => command.name()) ?? [];
  expect(names.toSorted()).toEqual(OPERATIONS.map(({ name }): string => name).toSorted());
});
