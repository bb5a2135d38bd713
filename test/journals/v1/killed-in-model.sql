-- do/holdfast-SessionObject/3e9b1d872e00ca67f7c719009cfe7be0f76396193ed0954b187d9f7f7bd1cefe.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
turn TEXT NOT NULL, bytes INTEGER NOT NULL, lengths TEXT, body TEXT);
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
INSERT INTO "schema" VALUES (1, '["ada","killed-in-model","s"]');
INSERT INTO "events" VALUES (1, 0, 1795936939415, 'session-opened', '', 90, NULL, '{"v":1,"type":"session-opened","incarnation":"77d18ed2858d4715","agent":"killed-in-model"}');
INSERT INTO "events" VALUES (2, 0, 1795936939415, 'turn-started', 'b001d2caf2b149e1', 137, NULL, '{"v":1,"type":"turn-started","turn":"b001d2caf2b149e1","loopId":"b001d2caf2b149e1","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 719747379758, 1795936939564, 'module-event', 'b001d2caf2b149e1', 278, NULL, '{"v":1,"type":"module-event","turn":"b001d2caf2b149e1","module":"budgets","facts":[{"slice":"budgets","fact":{"reserved":{"inputTokens":1398,"outputTokens":4096,"cost":0.042358},"request":{"model":"scripted","system":5,"tools":1285,"messages":1,"text":44}},"at":1795936939532}]}');
INSERT INTO "events" VALUES (5, 719747379758, 1795936939979, 'model-replied tool-call-started', 'b001d2caf2b149e1', 424, '318 106', '{"v":1,"type":"model-replied","turn":"b001d2caf2b149e1","model":"scripted","text":"","toolCalls":[{"id":"b001d2caf2b149e1.4.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1jnibkh"},"usage":{"inputTokens":100,"outputTokens":10,"cost":0.0002}}{"v":1,"type":"tool-call-started","turn":"b001d2caf2b149e1","call":"b001d2caf2b149e1.4.0","effect":"read"}');
INSERT INTO "events" VALUES (7, 719747379758, 1795936940153, 'tool-call-ended module-event', 'b001d2caf2b149e1', 428, '150 278', '{"v":1,"type":"tool-call-ended","turn":"b001d2caf2b149e1","call":"b001d2caf2b149e1.4.0","result":{"type":"text","content":"look_up is done"},"ms":226}{"v":1,"type":"module-event","turn":"b001d2caf2b149e1","module":"budgets","facts":[{"slice":"budgets","fact":{"reserved":{"inputTokens":297,"outputTokens":4096,"cost":0.041257},"request":{"model":"scripted","system":5,"tools":1285,"messages":3,"text":241}},"at":1795936940137}]}');
INSERT INTO "events" VALUES (9, 719747379758, 1795936940329, 'model-replied turn-ended', 'b001d2caf2b149e1', 309, '234 75', '{"v":1,"type":"model-replied","turn":"b001d2caf2b149e1","model":"scripted","text":"Gone.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"1jnibkh"},"usage":{"inputTokens":100,"outputTokens":10,"cost":0.0002}}{"v":1,"type":"turn-ended","turn":"b001d2caf2b149e1","outcome":"completed"}');
INSERT INTO "events" VALUES (10, 0, 1795936940453, 'turn-started', 'cb9b994ed78b4991', 140, NULL, '{"v":1,"type":"turn-started","turn":"cb9b994ed78b4991","loopId":"cb9b994ed78b4991","message":"Again.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (11, 719747379759, 1795936940551, 'module-event', 'cb9b994ed78b4991', 278, NULL, '{"v":1,"type":"module-event","turn":"cb9b994ed78b4991","module":"budgets","facts":[{"slice":"budgets","fact":{"reserved":{"inputTokens":213,"outputTokens":4096,"cost":0.041173},"request":{"model":"scripted","system":5,"tools":1285,"messages":5,"text":354}},"at":1795936940550}]}');
INSERT INTO "lease" VALUES (1, 719747379759, '823f7040831140bb', 'cb9b994ed78b4991', 'held', 'started', 0, 0, 1795936953888, 11, 1795936940541, 0, '', 0);
INSERT INTO "agenda" VALUES ('turn', 'cb9b994ed78b4991', 1795936960541);
INSERT INTO "_cf_METADATA" VALUES (1, 1795936960541000000);
