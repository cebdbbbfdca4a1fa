import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type DocumentServer, documentServer } from './document-server.ts'

const hasKubectl = (() => {
  try {
    execFileSync('kubectl', ['version', '--client'], { timeout: 20_000, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

const POD = `
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default}
spec:
  containers:
    - {name: c, image: i, resources: {requests: {cpu: 1, memory: 1Gi}}, livenessProbe: {httpGet: {port: 80}}}
`
const WIDGET = `
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: default}
spec: {size: 1, port: 80, note: null}
`

describe.skipIf(!hasKubectl)('kubectl, with the discovery and OpenAPI documents', () => {
  let server: DocumentServer
  let folder: string
  beforeAll(async () => {
    server = await documentServer()
    folder = mkdtempSync(join(tmpdir(), 'allot-openapi-'))
    writeFileSync(join(folder, 'pod.yaml'), POD)
    writeFileSync(join(folder, 'widget.yaml'), WIDGET)
  })
  afterAll(() => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(() => {
    server.seen.length = 0
  })

  const kubectl = (...args: readonly string[]) =>
    new Promise<{ code: number | string; output: string }>((resolve) => {
      const address = ['--server', `http://127.0.0.1:${server.port}`, '--cache-dir', join(folder, 'cache')]
      const env = { ...process.env, KUBECONFIG: '/dev/null', HOME: folder }
      execFile('kubectl', [...address, ...args], { cwd: folder, env, timeout: 30_000 }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, output: stdout + stderr }),
      )
    })
  const writes = () => server.seen.filter(({ method }) => method !== 'GET').map(({ method, url }) => `${method} ${url}`)

  test('leaves the validation of a pod to the server', async () => {
    expect(await kubectl('create', '-f', 'pod.yaml', '--validate=true')).toEqual({ code: 0, output: 'pod/p created\n' })
    expect(writes()).toEqual([
      'POST /api/v1/namespaces/default/pods?fieldManager=kubectl-create&fieldValidation=Strict',
    ])
  })

  test('leaves the validation of a custom resource to the server', async () => {
    expect(await kubectl('apply', '-f', 'widget.yaml')).toEqual({ code: 0, output: 'widget.example.com/w created\n' })
    expect(writes()).toEqual([
      'POST /apis/example.com/v1/namespaces/default/widgets?fieldManager=kubectl-client-side-apply&fieldValidation=Strict',
    ])
  })

  test.each(['pod.yaml', 'widget.yaml'])('dares a dry run of %s', async (file) => {
    const { code, output } = await kubectl('apply', '-f', file, '--dry-run=server')
    expect(output).toContain('created (server dry run)')
    expect(code).toBe(0)
    expect(writes()[0]).toContain('dryRun=All')
  })

  test('explains fields of built-in and of custom kinds', async () => {
    const containers = await kubectl('explain', 'pods.spec.containers')
    expect(containers.output).toMatch(/FIELD: containers <\[\]Container>/)
    expect(containers.output).toMatch(/image\t<string>/)
    const widget = await kubectl('explain', 'wd.spec')
    expect(widget.output).toMatch(/size\t<integer> -required-/)
  })

  test('prints the resources with short names and preferred versions', async () => {
    const { code, output } = await kubectl('api-resources')
    expect(code).toBe(0)
    expect(output).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment$/m)
    expect(output).toMatch(/^horizontalpodautoscalers +autoscaling\/v2 +true/m)
    expect(output).toMatch(/^widgets +wd +example.com\/v1 +true +Widget$/m)
  })

  test('needs two requests to discover everything', async () => {
    rmSync(join(folder, 'cache'), { recursive: true, force: true })
    await kubectl('api-resources')
    const paths = server.seen.map(({ url }) => url.split('?')[0]).filter((path) => path !== '/version')
    expect(new Set(paths)).toEqual(new Set(['/api', '/apis']))
    expect(paths).toHaveLength(2)
  })
})
