import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasKubectl } from '../kubectl/kubectl.ts'
import { type Allot, startAllot, temporaryDirectory } from '../start-allot.ts'
import { ROOT, type Result, shell } from './document-shell.ts'

const EXAMPLES = 'examples'
const SCOPES = 'examples/resource-quota/5-scopes'

let allot: Allot
const home = temporaryDirectory()
const run = (command: string): Promise<Result> => shell(command, { kubeconfig: allot.kubeconfig, home })

beforeAll(async () => void (allot = await startAllot({ inMemory: true, workloads: true, operator: true })))
afterAll(async () => void (await allot.stop()))

/** All manifests below a folder, in the order in which their numbers say that they are applied. Tests of quotas are none. */
function manifests(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name !== 'test')
    .toSorted()
    .flatMap((name) => {
      const path = `${folder}/${name}`
      if (statSync(join(ROOT, path)).isDirectory()) return manifests(path)
      return name.endsWith('.yaml') ? [path] : []
    })
}

/** Their names say which manifests a quota refuses. */
const isRefused = (file: string): boolean => file.endsWith('refused.yaml')

/** kubectl asks what is served before it applies the first of its manifests. */
const definesKind = (file: string): boolean =>
  readFileSync(join(ROOT, file), 'utf8').includes('kind: CustomResourceDefinition')

/** Manifests that follow each other in a folder and that nothing refuses are applied together: each kubectl is a process. */
function batches(files: readonly string[]): readonly (readonly string[])[] {
  const found: string[][] = []
  for (const file of files) {
    const last = found.at(-1)
    const before = last?.at(-1)
    const isBeside = before !== undefined && dirname(before) === dirname(file) && !definesKind(before)
    if (last !== undefined && isBeside && !isRefused(file) && !isRefused(before)) last.push(file)
    else found.push([file])
  }
  return found
}

/** The systems, each with a folder: what one has made is not there for the next one. */
const SYSTEMS = readdirSync(join(ROOT, EXAMPLES)).toSorted()

describe.skipIf(!hasKubectl).each(SYSTEMS)('every manifest of the examples of %s', (system) => {
  afterAll(async () => {
    const { text } = await run('kubectl get namespaces -o name')
    const made = text.split('\n').filter((name) => !/\/(default|kube-.*|allot-system)$|^$/.test(name))
    const { code, text: said } = await run(
      `kubectl delete customquotas,globalcustomquotas,resourcepools --all -A && kubectl delete ${made.join(' ')}`,
    )
    if (code !== 0) throw new Error(`the examples could not be deleted: ${said}`)
  })

  const all = batches(manifests(`${EXAMPLES}/${system}`)).map((files) => ({
    files,
    name: [files[0], ...files.slice(1).map((file) => basename(file))].join(' '),
  }))
  test.each(all)('$name', async ({ files }) => {
    const [file = ''] = files
    const apply = (...flags: readonly string[]): Promise<Result> =>
      run(`kubectl apply --validate=strict ${files.map((one) => `-f ${one}`).join(' ')} ${flags.join(' ')}`)
    if (isRefused(file)) {
      // The quota of a pool comes a moment after the pool. No dry run shows a limit that only the last of several objects exceeds.
      if (!file.endsWith('last-refused.yaml'))
        await expect.poll(async () => (await apply('--dry-run=server')).code, { interval: 250 }).toBe(1)
      const { code, text } = await apply()
      expect(code).toBe(1)
      expect(text).toMatch(
        / is forbidden: (exceeded|failed) quota: | resource exceeds limit for (Global)?CustomQuota | denied the request: exceeded quota: /,
      )
      expect(text).not.toMatch(/unknown field|duplicate field/)
      return
    }
    const { code, text } = await apply()
    expect([
      code,
      text.replaceAll(
        /^Warning: (((Global)?Custom|Karmada|Resource)Quota \S+ has reached|\S+ \S+ needs more room than there is:|the increase raises nothing: the operator has no definitions) .*\n/gm,
        '',
      ),
    ]).toEqual([0, expect.stringMatching(/^(\S+ (created|configured)\n)+$/)])
  })
})

describe.skipIf(!hasKubectl)("each quota of the scopes' scenario refuses what it should", () => {
  /** Which quota refuses the last object of a manifest, and what it says of it. */
  const refusals = {
    '12-best-effort-3-refused': 'exceeded quota: quota-best-effort, requested: pods=1, used: pods=2, limited: pods=2',
    '21-terminating-large-refused':
      'exceeded quota: quota-terminating, requested: limits.cpu=1500m,limits.memory=768Mi, used: limits.cpu=1,limits.memory=512Mi, limited: limits.cpu=2,limits.memory=1Gi',
    '23-terminating-3-refused': 'exceeded quota: quota-terminating, requested: pods=1, used: pods=2, limited: pods=2',
    '31-longrunning-large-refused':
      'exceeded quota: quota-longrunning, requested: limits.memory=5Gi, used: limits.memory=1Gi, limited: limits.memory=4Gi',
    '33-longrunning-3-refused': 'exceeded quota: quota, requested: pods=1, used: pods=6, limited: pods=6',
    '40-eleven-replication-controllers-last-refused':
      'exceeded quota: quota, requested: replicationcontrollers=1, used: replicationcontrollers=10, limited: replicationcontrollers=10',
  }

  beforeAll(async () => {
    await run('kubectl delete namespace scopes --ignore-not-found')
  })

  test('applied in their order', async () => {
    const said: Record<string, string> = {}
    for (const file of manifests(SCOPES)) {
      const { code, text } = await run(`kubectl create -f ${file}`)
      if (code !== 0)
        said[file.slice(SCOPES.length + 1, -'.yaml'.length)] = / is forbidden: (.*)\n$/.exec(text)?.[1] ?? text
    }
    expect(said).toEqual(refusals)
  })

  test('a fifth long-running pod is refused by quota-longrunning while the namespace has room', async () => {
    await run('kubectl -n scopes delete pod --all')
    const create = (name: string): Promise<Result> =>
      run(
        `sed -e 's/longrunning-1/${name}/' -e 's/cpu: .*/cpu: 100m/' -e 's/memory: .*/memory: 64Mi/' ${SCOPES}/30-longrunning-1.yaml | kubectl create -f -`,
      )
    await expect
      .poll(async () => (await run(`kubectl -n scopes get quota quota -o jsonpath='{.status.used.pods}'`)).text, {
        interval: 250,
      })
      .toBe('0')
    for (const name of ['one', 'two', 'three', 'four']) expect((await create(name)).code).toBe(0)
    expect((await create('five')).text).toContain(
      '"five" is forbidden: exceeded quota: quota-longrunning, requested: pods=1, used: pods=4, limited: pods=4',
    )
  })
})
