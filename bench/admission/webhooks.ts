import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { BareServer } from '../../test/operator/operated.ts'

export const PATIENCE_MS = 60_000

/** A process of the bench that prints one JSON line once it serves. */
export interface Helper<Said> extends AsyncDisposable {
  readonly said: Said
  readonly pid: number
}

/** Starts a program of this folder. */
export async function startHelper<Said>(name: string, args: readonly string[] = []): Promise<Helper<Said>> {
  const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url))
  const child: ChildProcess = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const line = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('\n')) resolve(text)
    })
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)))
  })
  return {
    said: JSON.parse(line) as Said,
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Has the API server ask a webhook that only allows about the pods of one namespace. */
export async function allowAll(server: BareServer, namespace: string): Promise<Helper<unknown>> {
  const helper = await startHelper<{ readonly port: number; readonly authority: string }>('allow-all')
  const { port, authority } = helper.said
  const { status, text } = await server.send(
    'POST',
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    {
      metadata: { name: 'allow-all' },
      webhooks: [
        {
          name: 'allow-all.bench.test',
          clientConfig: {
            url: `https://127.0.0.1:${port}/`,
            caBundle: Buffer.from(authority).toString('base64'),
          },
          // The rules and the rest are those of the webhook that allot derives from a quota on pods.
          rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE', 'UPDATE'] }],
          namespaceSelector: { matchLabels: { bench: namespace } },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          failurePolicy: 'Fail',
          timeoutSeconds: 10,
        },
      ],
    },
  )
  if (status !== 201) throw new Error(`the webhook that only allows was answered with ${status}: ${text}`)
  return helper
}
