// Plain old JavaScript, so that a Node which is too old still says in one line what is wrong.
var major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  var error = new Error('the allot library needs Node 24 or newer, this is ' + process.versions.node)
  error.code = 'ERR_ALLOT_NODE_VERSION'
  error.stack = 'Error: ' + error.message
  throw error
}
