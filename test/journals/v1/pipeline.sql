-- do/holdfast-SessionObject/f54068b88d65009818535b8a003785d1cf9a46cfe1f9e1dbe16aa366f56d4526.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
turn TEXT NOT NULL, bytes INTEGER NOT NULL, lengths TEXT, body TEXT);
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, nonce TEXT NOT NULL, turn TEXT,
state TEXT NOT NULL, cause TEXT NOT NULL, expired INTEGER NOT NULL, expiredFor INTEGER NOT NULL,
heard INTEGER NOT NULL, heardSeq INTEGER NOT NULL, taken INTEGER NOT NULL, strikes INTEGER NOT NULL,
stoppedAt TEXT NOT NULL, unread INTEGER NOT NULL, due INTEGER, line INTEGER NOT NULL);
CREATE TABLE requests (key TEXT PRIMARY KEY, body_hash TEXT NOT NULL, turn TEXT NOT NULL, seq INTEGER NOT NULL,
expires INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX expiries ON requests (expires);
CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE agenda (kind TEXT NOT NULL, ref TEXT NOT NULL, due INTEGER NOT NULL, PRIMARY KEY (kind, ref)) WITHOUT ROWID;
CREATE TABLE chunks (owner TEXT NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL, reducer INTEGER,
messages_from INTEGER NOT NULL DEFAULT 1, body BLOB NOT NULL, PRIMARY KEY (owner, seq, part));
CREATE TABLE blobs (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, about TEXT NOT NULL, size INTEGER NOT NULL,
here INTEGER NOT NULL, outside INTEGER NOT NULL, at INTEGER NOT NULL, gone TEXT,
version INTEGER NOT NULL DEFAULT 0, deleted INTEGER NOT NULL DEFAULT 0);
CREATE TABLE _cf_METADATA (
        key INTEGER PRIMARY KEY,
        value BLOB
      );
INSERT INTO "schema" VALUES (1, '["ada","pipeline","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346771, 'session-opened', '', 83, NULL, '{"v":1,"type":"session-opened","incarnation":"1f5acfc58f5c4ca1","agent":"pipeline"}');
INSERT INTO "events" VALUES (2, 0, 1795939346771, 'turn-started', '9ed749ad60b94db5', 137, NULL, '{"v":1,"type":"turn-started","turn":"9ed749ad60b94db5","loopId":"9ed749ad60b94db5","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (9, 518433621140, 1795939347165, 'model-replied frame-started model-replied tool-call-started tool-call-ended model-replied tool-call-started', '9ed749ad60b94db5', 1467, '323 150 263 137 179 272 143', '{"v":1,"type":"model-replied","turn":"9ed749ad60b94db5","model":"scripted","text":"","toolCalls":[{"id":"9ed749ad60b94db5.3.0","providerId":"call_0_0","name":"prepare","input":"{\"input\":\"a page\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"2oxdbb"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"frame-started","turn":"9ed749ad60b94db5","frame":"9ed749ad60b94db5.3.0","name":"prepare","message":"Pipeline: fetch -> clean -> store"}{"v":1,"type":"model-replied","turn":"9ed749ad60b94db5","frame":"9ed749ad60b94db5.3.0","model":"plan","text":"","toolCalls":[{"id":"9ed749ad60b94db5.5.0","providerId":"step_0","name":"fetch","input":"{\"input\":\"a page\"}"}],"finish":"tool-calls","planned":true}{"v":1,"type":"tool-call-started","turn":"9ed749ad60b94db5","frame":"9ed749ad60b94db5.3.0","call":"9ed749ad60b94db5.5.0","effect":"read"}{"v":1,"type":"tool-call-ended","turn":"9ed749ad60b94db5","frame":"9ed749ad60b94db5.3.0","call":"9ed749ad60b94db5.5.0","result":{"type":"text","content":"a page, fetched"},"ms":0}{"v":1,"type":"model-replied","turn":"9ed749ad60b94db5","frame":"9ed749ad60b94db5.3.0","model":"plan","text":"","toolCalls":[{"id":"9ed749ad60b94db5.8.0","providerId":"step_1","name":"clean","input":"{\"input\":\"a page, fetched\"}"}],"finish":"tool-calls","planned":true}{"v":1,"type":"tool-call-started","turn":"9ed749ad60b94db5","frame":"9ed749ad60b94db5.3.0","call":"9ed749ad60b94db5.8.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (12, 518433621140, 1795939347172, 'tool-call-ended model-replied tool-call-suspended', '9ed749ad60b94db5', 918, '188 282 448', '{"v":1,"type":"tool-call-ended","turn":"9ed749ad60b94db5","frame":"9ed749ad60b94db5.3.0","call":"9ed749ad60b94db5.8.0","result":{"type":"text","content":"a page, fetched, cleaned"},"ms":0}{"v":1,"type":"model-replied","turn":"9ed749ad60b94db5","frame":"9ed749ad60b94db5.3.0","model":"plan","text":"","toolCalls":[{"id":"9ed749ad60b94db5.11.0","providerId":"step_2","name":"store","input":"{\"input\":\"a page, fetched, cleaned\"}"}],"finish":"tool-calls","planned":true}{"v":1,"type":"tool-call-suspended","turn":"9ed749ad60b94db5","frame":"9ed749ad60b94db5.3.0","call":"9ed749ad60b94db5.11.0","wait":{"for":"decision","message":"Store it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{"input":{"type":"string","description":"The input to pass to the tool"}},"required":["input"]},"onExpiry":"reject","binding":"68af0103bddf8e0d74dffb6ad1598527e7cc8d220ae60650331e835c3cc59e6c"}}');
INSERT INTO "lease" VALUES (1, 518433621140, 'f8f2e1eeb2654e3a', '9ed749ad60b94db5', 'suspended', 'started', 0, 0, 1795939347172, 12, 1795939346771, 0, '', 0, NULL, 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
