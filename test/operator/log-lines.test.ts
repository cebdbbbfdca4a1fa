import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { linesWithStacks, type LoggedLine, loggedLines } from './failure/logged-lines.ts'
import { bareServers, startOperator } from './operated.ts'
import { PoolWorld } from './pool-objects.ts'

test('the log reports each grant and each wait, and of an outage of the API server one line without a stack', async () => {
  await using server = await bareServers[0]!.start()
  await using operator = await startOperator(server.kubeconfig, ['--log-level', 'debug'])
  const lines = (): readonly LoggedLine[] => loggedLines(operator.logs())
  const said = (msg: string): readonly LoggedLine[] => lines().filter((line) => line['msg'] === msg)
  const world = new PoolWorld(server)
  await world.namespace('logged')
  await world.pool('logged', { pods: '4' })
  await world.claim('logged', 'first', { pods: '3' })
  await world.allocated('logged', 'first')
  await world.claim('logged', 'second', { pods: '2' })
  const tells = (msg: string, claim: string): Promise<unknown> =>
    eventually(
      () => said(msg),
      (found) =>
        found.some((line) => line['claim'] === claim && line['pool'] === 'logged' && line['level'] === 'debug'),
    )
  await tells('a claim was granted', 'first')
  await tells('a claim waits', 'second')
  expect(said('a claim waits')[0]).toMatchObject({ namespace: 'logged', reason: 'WaitingForRoom' })

  const began = 'the API server gives no answers; it is tried again'
  await server.restart('SIGKILL', async () => {
    await eventually(
      () => said(began).length,
      (times) => times === 1,
      { what: 'the outage in the log' },
    )
  })
  await eventually(
    () => [said(began).length, said('the API server is back').length],
    ([begun = 0, ended]) => begun > 0 && begun === ended,
    { what: 'the end of the outage in the log' },
  )
  expect(said(began)[0]).toMatchObject({ level: 'warn', problem: expect.any(String), advice: expect.any(String) })
  const loud = lines().filter(({ level, msg }) => level !== 'debug' && level !== 'info' && msg !== began)
  expect(loud.filter((line) => JSON.stringify(line).includes('ServerUnreachable'))).toEqual([])
  expect(linesWithStacks(operator.logs())).toEqual([])
})
