// Floods a server until it is killed: `node bench/flood/flood.ts URL CONNECTIONS BYTES KIND`. Each connection sends so many bytes as
// fast as the server takes them, and begins again; without a kind it ends behind the handshake. Prints how many there were each second.
import { connect } from 'node:tls'
import { PREFACE, SETTINGS } from '../../test/robustness/frames.ts'
import { floodOf } from '../../test/robustness/unknown-floods.ts'

const [url = '', connections = '1', bytes = '0', kind] = process.argv.slice(2)
const { hostname, port } = new URL(url)
const sent = kind === undefined ? undefined : Buffer.concat([PREFACE, SETTINGS, floodOf(kind, Number(bytes))])

let count = 0
function again(): void {
  let isOver = false
  const socket = connect(
    { host: hostname, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['h2'] },
    () => {
      count++
      if (sent === undefined) socket.destroy()
      else socket.write(sent, () => setTimeout(() => socket.destroy(), 50))
    },
  )
  socket.resume()
  socket.on('error', () => undefined)
  socket.on('close', () => {
    if (isOver) return
    isOver = true
    setImmediate(again)
  })
}
for (let n = 0; n < Number(connections); n++) again()
setInterval(() => console.log(count), 200)
