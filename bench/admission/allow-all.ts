// A webhook that allows whatever it is asked, as cheaply as a webhook can: it prints its port and its authority as one JSON line.
import { TlsServer } from '../../test/kube/tls-server.ts'

const server = await TlsServer.start((_, response, body) => {
  // The uid of the review comes before everything that a user wrote.
  const uid = /"uid":"([^"]+)"/.exec(body)?.[1] ?? ''
  const text = JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid, allowed: true },
  })
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)
  server.requests.length = 0
})
console.log(JSON.stringify({ port: server.port, authority: server.authority.certificate }))
