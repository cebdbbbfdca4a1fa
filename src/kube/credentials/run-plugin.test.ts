import { expect, test } from 'vitest'
import { type PluginCall, runPlugin } from './run-plugin.ts'

const call = (script: string, more: Partial<PluginCall> = {}): PluginCall => ({
  command: '/bin/sh',
  args: ['-c', script],
  environment: { PATH: process.env['PATH'], WORD: 'hello' },
  interactive: false,
  deadlineMs: 20_000,
  ...more,
})

test('the output of a plugin is returned, and the plugin gets its environment', async () => {
  expect(await runPlugin(call('echo "$WORD"'))).toEqual({
    outcome: 'exited',
    code: 0,
    stdout: 'hello\n',
    complaint: '',
  })
})

test('the last line that it writes for people is given', async () => {
  expect(await runPlugin(call('echo one >&2; echo two >&2; exit 4'))).toMatchObject({ code: 4, complaint: 'two' })
})

test('it has nothing to read when nobody is there', async () => {
  expect(await runPlugin(call('read line; echo "<$line>"'))).toMatchObject({ stdout: '<>\n' })
})

test('one that does not end is killed, and what it started is not waited for', async () => {
  expect(await runPlugin(call('sleep 60 & sleep 60', { deadlineMs: 100 }))).toEqual({ outcome: 'timeout' })
})

test('a missing plugin is reported', async () => {
  expect(await runPlugin(call('', { command: 'allot-no-such-plugin' }))).toMatchObject({
    outcome: 'not-started',
    reason: 'ENOENT',
  })
})
