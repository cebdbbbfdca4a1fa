import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchOperator } from '../operator/operated.ts'
import { freePort } from '../free-ports.ts'
import { type Allot, startAllot } from '../start-allot.ts'
import { commandsFor } from './task-commands.ts'

let server: Allot

beforeAll(async () => void (server = await startAllot()))
afterAll(async () => void (await server?.stop()))

// The machine of the pages has another address, and its port may be taken here.
test.each(commandsFor('outside'))('$page: the operator runs outside the cluster with $command', async ({ command }) => {
  const port = String(await freePort())
  const [, , flag, , ...others] = command.split(/\s+/)
  expect(flag).toBe('--kubeconfig')
  const flags = others.map((one) => one.replace('10.0.0.7', '127.0.0.1').replace('9443', port))
  await using operator = launchOperator(server.kubeconfig, flags)
  expect(await operator.ready()).toMatchObject({ webhookPort: Number(port) })
})
