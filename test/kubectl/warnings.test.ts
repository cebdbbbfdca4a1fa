import { describe, expect, test } from 'vitest'
import { hasKubectl, session } from './kubectl.ts'
import { pod, quota } from './kubectl-objects.ts'

const CPU = { requests: { cpu: '500m' } }

describe.skipIf(!hasKubectl)('kubectl shows warnings of quotas', { concurrent: true }, () => {
  const { inNewNamespace } = session()

  test('once when a percentage is passed, one for each quota, about its fullest limit', async () => {
    const kubectl = await inNewNamespace()
    const hard = { pods: '10', 'requests.cpu': '4500m' }
    await kubectl.has(quota('small', hard), quota('other', { pods: '8' }))
    await kubectl.has(...Array.from({ length: 7 }, (_, index) => pod(`p${index}`, CPU)))
    const made = (name: string, ...flags: readonly string[]) =>
      kubectl.run(['create', '-f', '-', ...flags], { input: pod(name, CPU) })
    const ofSmall = `Warning: ResourceQuota ${kubectl.namespace}/small has reached`
    const ofOther = `Warning: ResourceQuota ${kubectl.namespace}/other has reached`
    const eighth = [
      `${ofOther} 100 % of its limit of pods: used 8 of 8`,
      `${ofSmall} 88 % of its limit of requests.cpu: used 4 of 4500m`,
    ]
    const dry = await made('p7', '--dry-run=server')
    expect(dry.stderr.trim().split('\n')).toEqual(eighth)
    expect((await made('p7')).stderr.trim().split('\n')).toEqual(eighth)
    await kubectl.ok('delete', 'quota', 'other')
    expect((await made('p8')).stderr).toBe(`${ofSmall} 100 % of its limit of requests.cpu: used 4500m of 4500m\n`)
    // A refusal is warned of nothing, and neither is a write that gives room back.
    const refused = await made('p9')
    expect([refused.code, refused.stderr.includes('Warning')]).toEqual([1, false])
    const deleted = await kubectl.run(['delete', 'pod', 'p8', '--wait=false'])
    expect(deleted).toMatchObject({ code: 0, stderr: '' })
  })

  test('of a workload that needs more room than there is, when it is made and when it changes', async () => {
    const kubectl = await inNewNamespace()
    const does = async (...args: readonly string[]): Promise<string> => {
      const { code, stderr } = await kubectl.run(args)
      expect(code, stderr).toBe(0)
      return stderr
    }
    await kubectl.has(quota('small', { pods: '2' }), pod('p'))
    const full = (kind: string, asked: number) =>
      `Warning: ${kind} web needs more room than there is: quota small: pods 1 of 2 used, ${asked} more requested\n`
    expect(await does('create', 'deployment', 'web', '--image=a', '--replicas=3')).toBe(full('Deployment', 3))
    expect(await does('create', 'deployment', 'one', '--image=a')).toBe('')
    expect(await does('scale', 'deployment', 'web', '--replicas=5')).toBe(full('Deployment', 2))
    expect(await does('scale', 'deployment', 'web', '--replicas=2')).toBe('')
    expect(await does('label', 'deployment', 'web', 'a=b')).toBe('')
    // The other place is taken: a rollout of one replica makes a pod before it deletes one.
    await kubectl.has(pod('q'))
    expect(await does('set', 'image', 'deployment/one', 'a=b')).toBe(
      'Warning: a rollout of Deployment one waits: it makes a pod before it deletes one (maxUnavailable is 0), and the quotas have no room for it: quota small: pods 2 of 2 used, 1 more requested\n',
    )
    await kubectl.ok('delete', 'pod', 'q', '--wait=false')
    await kubectl.ok('create', 'quota', 'cpu', '--hard=requests.cpu=4')
    expect(await does('create', 'job', 'task', '--image=a', '--dry-run=server')).toBe(
      'Warning: Job task can make no pods: quota cpu: each container must specify requests.cpu (missing in task)\n',
    )
  })
})
