// The script of the client matrix for Node: client.js mysql2|mariadb|mysql HOST PORT USER PASSWORD TLS
const [driver, host, port, user, password, tls] = process.argv.slice(2);
const crypto = require('crypto');
const options = { host, port: +port, user, password, database: 'test', ssl: tls === 'on' ? { rejectUnauthorized: false } : undefined };
const big = Buffer.alloc(256 * 20480);
for (let i = 0; i < big.length; i++) big[i] = i & 255;

(async () => {
  let db, ask, run;
  try {
    if (driver === 'mysql2') {
      db = await require('mysql2/promise').createConnection(options);
      ask = async (s, v) => (await db.query({ sql: s, rowsAsArray: true }, v))[0];
      run = async (s, v) => (await db.execute({ sql: s, rowsAsArray: true }, v))[0];
    } else if (driver === 'mariadb') {
      db = await require('mariadb').createConnection({ ...options, allowPublicKeyRetrieval: true, rowsAsArray: true, maxAllowedPacket: 1 << 26 });
      ask = (s, v) => db.query(s, v);
      run = (s, v) => db.execute(s, v);
    } else {
      db = require('mysql').createConnection(options);
      await new Promise((ok, bad) => db.connect(e => (e ? bad(e) : ok())));
      ask = run = (s, v) => new Promise((ok, bad) => db.query(s, v, (e, r) => (e ? bad(e) : ok(Array.isArray(r) ? r.map(x => Object.values(x)) : r))));
    }
  } catch (e) {
    console.log('connect refused:', e.errno || e.code);
    process.exit(0);
  }
  console.log('connect ok');
  console.log('query', (await ask("SELECT 1, NULL, 'héllo', 2.50"))[0].map(String).join());
  for (const n of [20, 21]) console.log('prepare', String((await run('SELECT ? * 2', [n]))[0][0]));
  await ask('CREATE TEMPORARY TABLE m (a INT, b LONGBLOB)');
  const rows = Array.from({ length: 100 }, (_, i) => [i, 'x']);
  if (driver === 'mariadb') await db.batch('INSERT INTO m VALUES (?, ?)', rows);
  else await ask('INSERT INTO m VALUES ?', [rows]);
  console.log('sum', String((await ask('SELECT COUNT(*), SUM(a) FROM m'))[0]));
  await ask('START TRANSACTION');
  await run('INSERT INTO m VALUES (?, ?)', [1000, big]);
  const value = (await ask('SELECT b FROM m WHERE a = 1000'))[0][0];
  console.log('big', value.length, crypto.createHash('md5').update(value).digest('hex'));
  await ask('ROLLBACK');
  console.log('rollback', String((await ask('SELECT COUNT(*) FROM m'))[0][0]));
  for (const sql of ['SELEC', 'SELECT * FROM nosuch']) {
    try { await ask(sql); console.log('no error'); } catch (e) { console.log('error', e.errno, e.sqlState, String(e.sqlMessage).slice(-60)); }
  }
  console.log('after', (await ask("SELECT 'still here'"))[0][0]);
  await db.end();
  console.log('closed');
})().catch(e => { console.log('FAILED', e.errno || '', e.message); process.exit(1); });
