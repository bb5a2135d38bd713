-- do/holdfast-SessionObject/3e9b1d872e00ca67f7c719009cfe7be0f76396193ed0954b187d9f7f7bd1cefe.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","killed-in-model","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346793, 'session-opened', '', 90, NULL, '{"v":1,"type":"session-opened","incarnation":"8b5c604f8b0e4aa9","agent":"killed-in-model"}');
INSERT INTO "events" VALUES (2, 0, 1795939346793, 'turn-started', 'dfccdf68160140f8', 137, NULL, '{"v":1,"type":"turn-started","turn":"dfccdf68160140f8","loopId":"dfccdf68160140f8","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 420001218596, 1795939346908, 'module-event', 'dfccdf68160140f8', 278, NULL, '{"v":1,"type":"module-event","turn":"dfccdf68160140f8","module":"budgets","facts":[{"slice":"budgets","fact":{"reserved":{"inputTokens":1398,"outputTokens":4096,"cost":0.042358},"request":{"model":"scripted","system":5,"tools":1285,"messages":1,"text":44}},"at":1795939346885}]}');
INSERT INTO "events" VALUES (5, 420001218596, 1795939347357, 'model-replied tool-call-started', 'dfccdf68160140f8', 424, '318 106', '{"v":1,"type":"model-replied","turn":"dfccdf68160140f8","model":"scripted","text":"","toolCalls":[{"id":"dfccdf68160140f8.4.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1jnibkh"},"usage":{"inputTokens":100,"outputTokens":10,"cost":0.0002}}{"v":1,"type":"tool-call-started","turn":"dfccdf68160140f8","call":"dfccdf68160140f8.4.0","effect":"read"}');
INSERT INTO "events" VALUES (7, 420001218596, 1795939347528, 'tool-call-ended module-event', 'dfccdf68160140f8', 428, '150 278', '{"v":1,"type":"tool-call-ended","turn":"dfccdf68160140f8","call":"dfccdf68160140f8.4.0","result":{"type":"text","content":"look_up is done"},"ms":221}{"v":1,"type":"module-event","turn":"dfccdf68160140f8","module":"budgets","facts":[{"slice":"budgets","fact":{"reserved":{"inputTokens":297,"outputTokens":4096,"cost":0.041257},"request":{"model":"scripted","system":5,"tools":1285,"messages":3,"text":241}},"at":1795939347513}]}');
INSERT INTO "events" VALUES (9, 420001218596, 1795939347679, 'model-replied turn-ended', 'dfccdf68160140f8', 309, '234 75', '{"v":1,"type":"model-replied","turn":"dfccdf68160140f8","model":"scripted","text":"Gone.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"1jnibkh"},"usage":{"inputTokens":100,"outputTokens":10,"cost":0.0002}}{"v":1,"type":"turn-ended","turn":"dfccdf68160140f8","outcome":"completed"}');
INSERT INTO "events" VALUES (10, 0, 1795939347785, 'turn-started', 'c571bcea993c42d9', 140, NULL, '{"v":1,"type":"turn-started","turn":"c571bcea993c42d9","loopId":"c571bcea993c42d9","message":"Again.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (11, 420001218597, 1795939347865, 'module-event', 'c571bcea993c42d9', 278, NULL, '{"v":1,"type":"module-event","turn":"c571bcea993c42d9","module":"budgets","facts":[{"slice":"budgets","fact":{"reserved":{"inputTokens":213,"outputTokens":4096,"cost":0.041173},"request":{"model":"scripted","system":5,"tools":1285,"messages":5,"text":354}},"at":1795939347864}]}');
INSERT INTO "lease" VALUES (1, 420001218597, 'e44a233f143e445d', 'c571bcea993c42d9', 'held', 'started', 0, 0, 1795939361201, 11, 1795939347861, 0, '', 0, 1795939367861, 0);
INSERT INTO "_cf_METADATA" VALUES (1, 1795939367861000000);
