import { describe, expect, test } from 'vitest'
import { hasKubectl, session } from './kubectl.ts'
import { configMap, pod, workload } from './kubectl-objects.ts'

describe.skipIf(!hasKubectl)('kubectl watches', { concurrent: true }, () => {
  const { allot, inNewNamespace } = session()

  test('with get -w what is there and then what is added, changed and deleted', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(pod('old'))
    const watching = kubectl.start('get', 'pods', '-w', '--output-watch-events')
    await watching.until(/^ADDED +old .*\n/m)
    await kubectl.has(pod('new'))
    await watching.until(/^ADDED +new +0\/1 +Pending +0 +\d+s\n/m)
    await kubectl.ok('patch', 'pod', 'new', '--subresource=status', '-p', '{"status":{"phase":"Running"}}')
    await watching.until(/^MODIFIED +new +0\/1 +Running +0 +\d+s\n/m)
    await kubectl.ok('delete', 'pod', 'new')
    await watching.until(/^DELETED +new .*\n/m)
    const { stdout } = await watching.stop()
    expect(stdout.match(/^EVENT +NAME +READY +STATUS +RESTARTS +AGE\n/)).not.toBeNull()
    expect(
      stdout
        .replaceAll(/^(\w+) +(\S+).*$/gm, '$1 $2')
        .trimEnd()
        .split('\n'),
    ).toEqual(['EVENT NAME', 'ADDED old', 'ADDED new', 'MODIFIED new', 'DELETED new'])
  })

  test('with --watch-only nothing but changes', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(configMap('old'))
    const watching = kubectl.start('get', 'cm', '--watch-only', '--output-watch-events', '-o', 'name')
    // Which of the two the server sees first, the watch or an object, is open: objects are made until one is seen.
    for (let made = 1; !watching.stdout().includes('configmap/new'); made++) await kubectl.has(configMap(`new-${made}`))
    const { stdout } = await watching.stop()
    expect(stdout).not.toContain('configmap/old')
  })

  test('one object by its name', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(configMap('one'), configMap('other'))
    const watching = kubectl.start('get', 'cm', 'one', '-w', '--output-watch-events')
    await watching.until(/^ADDED +one /m)
    await kubectl.ok('label', 'cm', 'other', 'one', 'a=b')
    await watching.until(/^MODIFIED +one /m)
    expect((await watching.stop()).stdout).not.toContain('other')
  })

  test('an object leave and enter a selection', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(configMap('one', {}, { labels: { in: 'yes' } }))
    const watching = kubectl.start('get', 'cm', '-l', 'in=yes', '-w', '--output-watch-events')
    await watching.until(/^ADDED +one /m)
    await kubectl.ok('label', 'cm', 'one', 'in-')
    await watching.until(/^DELETED +one /m)
    await kubectl.ok('label', 'cm', 'one', 'in=yes')
    await watching.until(/^DELETED +one .*\nADDED +one /m)
    const { stdout } = await watching.stop()
    expect(stdout.match(/^(ADDED|DELETED)/gm)).toEqual(['ADDED', 'DELETED', 'ADDED'])
  })

  test('objects in full with -o json', async () => {
    const kubectl = await inNewNamespace()
    const watching = kubectl.start('get', 'cm', '-l', 'mine', '-w', '-o', 'json', '--output-watch-events')
    for (let made = 1; !watching.stdout().includes('\n'); made++)
      await kubectl.has(configMap(`made-${made}`, { a: 'b' }, { labels: { mine: '' } }))
    const [first = ''] = (await watching.stop()).stdout.split('\n')
    expect(JSON.parse(first)).toMatchObject({
      type: 'ADDED',
      object: { kind: 'ConfigMap', metadata: { name: 'made-1' }, data: { a: 'b' } },
    })
  })

  test('until the time that it asked for is over', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(configMap('one'))
    const path = `/api/v1/namespaces/${kubectl.namespace}/configmaps?watch=1&timeoutSeconds=1`
    const { status, text } = await allot().call(path)
    expect(status).toBe(200)
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).type),
    ).toContain('ADDED')
    const watching = kubectl.start('get', 'cm', 'one', '-w', '--request-timeout=3s')
    expect(await watching.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^one /m) })
  })
})

describe.skipIf(!hasKubectl)('kubectl wait', { concurrent: true }, () => {
  const { inNewNamespace } = session()
  const READY = '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'

  test('ends at once when the condition holds', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(pod('p'))
    await kubectl.ok('patch', 'pod', 'p', '--subresource=status', '-p', READY)
    expect(await kubectl.ok('wait', '--for=condition=Ready', 'pod/p')).toBe('pod/p condition met\n')
    expect(await kubectl.ok('wait', '--for=condition=Ready=true', 'pod', '--all')).toBe('pod/p condition met\n')
  })

  test('ends when the condition comes', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(pod('p'))
    const waiting = kubectl.start('wait', '--for=condition=Ready', 'pod/p', '--timeout=20s')
    await kubectl.ok('patch', 'pod', 'p', '--subresource=status', '-p', READY)
    expect(await waiting.ended).toEqual({ code: 0, stdout: 'pod/p condition met\n', stderr: '' })
  })

  test('ends when a field has the value', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(workload('Deployment', 'web', 2))
    const waiting = kubectl.start('wait', '--for=jsonpath={.spec.replicas}=3', 'deployment/web', '--timeout=20s')
    await kubectl.ok('scale', 'deployment', 'web', '--replicas=3')
    expect(await waiting.ended).toMatchObject({ code: 0, stdout: 'deployment.apps/web condition met\n' })
  })

  test('ends when a field is there', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(pod('p'))
    expect(await kubectl.ok('wait', '--for=jsonpath={.status.phase}', 'pod/p')).toBe('pod/p condition met\n')
  })

  test('ends when the object is gone', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(configMap('held', {}, { finalizers: ['example.com/hold'] }))
    await kubectl.ok('delete', 'cm', 'held', '--wait=false')
    const waiting = kubectl.start('wait', '--for=delete', 'cm/held', '--timeout=20s')
    await kubectl.ok('patch', 'cm', 'held', '--type=merge', '-p', '{"metadata":{"finalizers":null}}')
    expect(await waiting.ended).toMatchObject({ code: 0, stderr: '' })
    expect(await kubectl.ok('wait', '--for=delete', 'cm/held')).toBe('')
  })

  test('ends when the object is made', async () => {
    const kubectl = await inNewNamespace()
    const waiting = kubectl.start('wait', '--for=create', 'cm/late', '--timeout=20s')
    await kubectl.has(configMap('late'))
    expect(await waiting.ended).toMatchObject({ code: 0, stdout: 'configmap/late condition met\n' })
  })

  test('fails when the time is over', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(pod('p'))
    expect(await kubectl.fails('wait', '--for=condition=Ready', 'pod/p', '--timeout=3s')).toBe(
      'error: timed out waiting for the condition on pods/p\n',
    )
    expect(await kubectl.fails('wait', '--for=condition=Ready', 'pod/none', '--timeout=3s')).toBe(
      'Error from server (NotFound): pods "none" not found\n',
    )
  })
})
