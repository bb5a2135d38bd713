-- do/holdfast-SessionObject/f54068b88d65009818535b8a003785d1cf9a46cfe1f9e1dbe16aa366f56d4526.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
turn TEXT NOT NULL, bytes INTEGER NOT NULL, body TEXT);
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, nonce TEXT NOT NULL, turn TEXT,
state TEXT NOT NULL, cause TEXT NOT NULL, expired INTEGER NOT NULL, expiredFor INTEGER NOT NULL,
heard INTEGER NOT NULL, heardSeq INTEGER NOT NULL, taken INTEGER NOT NULL, strikes INTEGER NOT NULL,
stoppedAt TEXT NOT NULL, unread INTEGER NOT NULL);
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
INSERT INTO "events" VALUES (1, 0, 1795934290518, 'session-opened', '', 83, '{"v":1,"type":"session-opened","incarnation":"44f7cb1891fa49b1","agent":"pipeline"}');
INSERT INTO "events" VALUES (2, 0, 1795934290518, 'turn-started', 'd7be90b8b2f54b8f', 137, '{"v":1,"type":"turn-started","turn":"d7be90b8b2f54b8f","loopId":"d7be90b8b2f54b8f","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 595718233954, 1795934294260, 'model-replied', 'd7be90b8b2f54b8f', 323, '{"v":1,"type":"model-replied","turn":"d7be90b8b2f54b8f","model":"scripted","text":"","toolCalls":[{"id":"d7be90b8b2f54b8f.3.0","providerId":"call_0_0","name":"prepare","input":"{\"input\":\"a page\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"2oxdbb"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 595718233954, 1795934294260, 'frame-started', 'd7be90b8b2f54b8f', 150, '{"v":1,"type":"frame-started","turn":"d7be90b8b2f54b8f","frame":"d7be90b8b2f54b8f.3.0","name":"prepare","message":"Pipeline: fetch -> clean -> store"}');
INSERT INTO "events" VALUES (5, 595718233954, 1795934294260, 'model-replied', 'd7be90b8b2f54b8f', 263, '{"v":1,"type":"model-replied","turn":"d7be90b8b2f54b8f","frame":"d7be90b8b2f54b8f.3.0","model":"plan","text":"","toolCalls":[{"id":"d7be90b8b2f54b8f.5.0","providerId":"step_0","name":"fetch","input":"{\"input\":\"a page\"}"}],"finish":"tool-calls","planned":true}');
INSERT INTO "events" VALUES (6, 595718233954, 1795934294260, 'tool-call-started', 'd7be90b8b2f54b8f', 137, '{"v":1,"type":"tool-call-started","turn":"d7be90b8b2f54b8f","frame":"d7be90b8b2f54b8f.3.0","call":"d7be90b8b2f54b8f.5.0","effect":"read"}');
INSERT INTO "events" VALUES (7, 595718233954, 1795934294260, 'tool-call-ended', 'd7be90b8b2f54b8f', 179, '{"v":1,"type":"tool-call-ended","turn":"d7be90b8b2f54b8f","frame":"d7be90b8b2f54b8f.3.0","call":"d7be90b8b2f54b8f.5.0","result":{"type":"text","content":"a page, fetched"},"ms":1}');
INSERT INTO "events" VALUES (8, 595718233954, 1795934294260, 'model-replied', 'd7be90b8b2f54b8f', 272, '{"v":1,"type":"model-replied","turn":"d7be90b8b2f54b8f","frame":"d7be90b8b2f54b8f.3.0","model":"plan","text":"","toolCalls":[{"id":"d7be90b8b2f54b8f.8.0","providerId":"step_1","name":"clean","input":"{\"input\":\"a page, fetched\"}"}],"finish":"tool-calls","planned":true}');
INSERT INTO "events" VALUES (9, 595718233954, 1795934294260, 'tool-call-started', 'd7be90b8b2f54b8f', 143, '{"v":1,"type":"tool-call-started","turn":"d7be90b8b2f54b8f","frame":"d7be90b8b2f54b8f.3.0","call":"d7be90b8b2f54b8f.8.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (10, 595718233954, 1795934294524, 'tool-call-ended', 'd7be90b8b2f54b8f', 188, '{"v":1,"type":"tool-call-ended","turn":"d7be90b8b2f54b8f","frame":"d7be90b8b2f54b8f.3.0","call":"d7be90b8b2f54b8f.8.0","result":{"type":"text","content":"a page, fetched, cleaned"},"ms":0}');
INSERT INTO "events" VALUES (11, 595718233954, 1795934294524, 'model-replied', 'd7be90b8b2f54b8f', 282, '{"v":1,"type":"model-replied","turn":"d7be90b8b2f54b8f","frame":"d7be90b8b2f54b8f.3.0","model":"plan","text":"","toolCalls":[{"id":"d7be90b8b2f54b8f.11.0","providerId":"step_2","name":"store","input":"{\"input\":\"a page, fetched, cleaned\"}"}],"finish":"tool-calls","planned":true}');
INSERT INTO "events" VALUES (12, 595718233954, 1795934294524, 'tool-call-suspended', 'd7be90b8b2f54b8f', 448, '{"v":1,"type":"tool-call-suspended","turn":"d7be90b8b2f54b8f","frame":"d7be90b8b2f54b8f.3.0","call":"d7be90b8b2f54b8f.11.0","wait":{"for":"decision","message":"Store it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{"input":{"type":"string","description":"The input to pass to the tool"}},"required":["input"]},"onExpiry":"reject","binding":"68af0103bddf8e0d74dffb6ad1598527e7cc8d220ae60650331e835c3cc59e6c"}}');
INSERT INTO "lease" VALUES (1, 595718233954, '642cb39cd58d4c75', 'd7be90b8b2f54b8f', 'suspended', 'started', 0, 0, 1795934294524, 12, 1795934290518, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
