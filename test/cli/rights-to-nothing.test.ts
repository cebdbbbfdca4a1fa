// Covers src/cli/top/run.ts and src/cli/test/init.ts
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { kubeconfigOf } from '../install/pod-process.ts'
import { runInProcess } from '../migrate/run-in-process.ts'
import { created } from '../operator/operator-account.ts'
import { forWorld, operatedServers } from '../operator/operated.ts'
import { runProgram } from '../../src/cli/allot-program.ts'
import { MERGE, PoolWorld } from '../operator/pool-objects.ts'
import { temporaryDirectory } from '../start-allot.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const ACCOUNT = 'nobody'
const folder = temporaryDirectory()
const manifest = join(folder, 'pod.yaml')
writeFileSync(
  manifest,
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  }),
)
/** What each command says that it may not read. */
const COMMANDS: Readonly<Record<string, RegExp>> = {
  doctor: /you may read no quotas, so/,
  'doctor -n NS': /you may read no quotas in namespace \S+, so/,
  'doctor -n NS --fix --yes -o json': /you may read no quotas in namespace/,
  'top quotas -n NS': /resourcequotas: you may not list them/,
  'top quotas -A -o json': /resourcequotas: you may not list them/,
  'top namespaces': /resourcequotas: you may not list them/,
  'top pools': /resourcepools\S+: you may not list them; ask for the right/,
  'top claims -n NS': /resourcepoolclaims\S+: you may not list them/,
  'explain pod p -n NS': /cannot get resource "pods"/,
  'explain -n NS -f MANIFEST': /you may not read pods in namespace \S+, so that nobody can tell/,
  'simulate -n NS -f MANIFEST': /resourcequotas: you may not list them/,
  'test --init -n NS NEW': /resourcequotas: you may not list them/,
}

for (const { name, available, share } of operatedServers)
  describe.skipIf(!available)(`${name}: commands of a user without rights`, () => {
    const suite = forWorld(share, (server) => new PoolWorld(server))

    test('no command takes what it may not read for nothing, or for all well', async () => {
      const { server, world } = suite
      const namespace = `rightless-${server.url.replaceAll(/\D/g, '')}`
      await world.create('/api/v1/namespaces', { metadata: { name: namespace } })
      await created(server, `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: ACCOUNT } })
      const kubeconfig = await kubeconfigOf(server, namespace, ACCOUNT)
      const run = (command: string): ReturnType<typeof runInProcess> =>
        runInProcess(
          kubeconfig,
          ...command
            .replace('NS', namespace)
            .replace('MANIFEST', manifest)
            .replace('NEW', join(folder, namespace))
            .split(' '),
        )
      for (const [command, said] of Object.entries(COMMANDS)) {
        const { code, stdout, stderr } = await run(command)
        expect([command, code, said.test(stderr) ? '' : stderr]).toEqual([command, 1, ''])
        expect(stdout).not.toMatch(/nothing is wrong|no \w+ was found|there is room|fits/)
      }
      expect(existsSync(join(folder, namespace))).toBe(false)
      // With the quotas of its namespace there is something to look at.
      await world.create(`${RBAC}/namespaces/${namespace}/roles`, {
        metadata: { name: 'quotas' },
        rules: [{ apiGroups: [''], resources: ['resourcequotas'], verbs: ['list'] }],
      })
      const binding = {
        metadata: { name: 'quotas' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'quotas' },
        subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace }],
      }
      const bindings = `${RBAC}/namespaces/${namespace}/rolebindings`
      await world.create(bindings, binding)
      const { stdout } = await eventually(
        () => run('doctor -n NS'),
        ({ code }) => code === 0,
        { what: 'the right to list quotas' },
      )
      expect(stdout).toContain('nothing is wrong with what was looked at\n\nNot seen\n')
      // A watch tells what its caller may not read any more, and what again.
      const quotas = `/api/v1/namespaces/${namespace}/resourcequotas`
      await world.create(quotas, { metadata: { name: 'berths' }, spec: { hard: { secrets: '5' } } })
      const over = new AbortController()
      const printed = { out: '', err: '' }
      const watching = runProgram(['top', '-n', namespace, '--watch', '--interval', '20ms'], {
        out: (text) => void (printed.out += text),
        err: (text) => void (printed.err += text),
        environment: { KUBECONFIG: kubeconfig },
        stop: over.signal,
      })
      const until = (said: RegExp): Promise<unknown> =>
        eventually(
          () => printed.out + printed.err,
          (text) => said.test(text),
          { what: String(said) },
        )
      const LOST = /not seen: resourcequotas: you may not list them\n/
      await until(/ berths +secrets /)
      expect(printed.err).not.toMatch(LOST)
      await server.send('DELETE', `${bindings}/quotas`)
      await until(LOST)
      await world.create(bindings, binding)
      await until(/seen again: resourcequotas\n/)
      await server.send('PATCH', `${quotas}/berths`, { spec: { hard: { secrets: '77' } } }, MERGE)
      await until(/ berths +secrets +\d+ +77 /)
      over.abort()
      expect([await watching, printed.out.includes('no quota was found')]).toEqual([0, false])
    })
  })
