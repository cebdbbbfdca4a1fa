import { TlsServer } from '../../kube/tls-server.ts'
import type { BareServer } from '../../operator/operated.ts'
import type { SeededRandom } from '../../seeded-random.ts'

/** The name of the configuration, with which refusals of this webhook begin. */
export const REFUSER = 'refuser.storm.test'

/** Has the API server ask a webhook beside allot's that refuses a part of the writes of config maps at random. */
export async function refuseAtRandom(
  server: BareServer,
  random: SeededRandom,
  part: number,
): Promise<AsyncDisposable & { active: boolean }> {
  const webhook = await TlsServer.start((_, response, body) => {
    const uid = /"uid":"([^"]+)"/.exec(body)?.[1] ?? ''
    const allowed = !refuser.active || !random.chance(part)
    const text = JSON.stringify({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid, allowed },
    })
    webhook.requests.length = 0
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  })
  const refuser = { active: true, [Symbol.asyncDispose]: () => webhook[Symbol.asyncDispose]() }
  const { status, text } = await server.send(
    'POST',
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    {
      metadata: { name: REFUSER },
      webhooks: [
        {
          name: REFUSER,
          clientConfig: {
            url: webhook.url,
            caBundle: Buffer.from(webhook.authority.certificate).toString('base64'),
          },
          rules: [
            { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] },
          ],
          namespaceSelector: { matchExpressions: [{ key: 'storm', operator: 'Exists' }] },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          failurePolicy: 'Ignore',
          timeoutSeconds: 5,
        },
      ],
    },
  )
  if (status !== 201) throw new Error(`the webhook was answered with ${status}: ${text}`)
  return refuser
}
