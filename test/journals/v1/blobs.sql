-- do/holdfast-SessionObject/2b427becc3100924d034facd912c7fbe02fa4ee9682592f7e10d2a8db59514d0.sqlite
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
INSERT INTO "sqlite_sequence" VALUES ('inbox', 1);
INSERT INTO "schema" VALUES (1, '["ada","blobs","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346763, 'session-opened', '', 80, NULL, '{"v":1,"type":"session-opened","incarnation":"1a3279d3f7d74699","agent":"blobs"}');
INSERT INTO "events" VALUES (2, 0, 1795939346763, 'turn-started', 'b5066dc9a2d34564', 137, NULL, '{"v":1,"type":"turn-started","turn":"b5066dc9a2d34564","loopId":"b5066dc9a2d34564","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 858112682752, 1795939347215, 'model-replied tool-call-started', 'b5066dc9a2d34564', 412, '306 106', '{"v":1,"type":"model-replied","turn":"b5066dc9a2d34564","model":"scripted","text":"","toolCalls":[{"id":"b5066dc9a2d34564.3.0","providerId":"call_0_0","name":"fetch_page","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"ant8nu"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"b5066dc9a2d34564","call":"b5066dc9a2d34564.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 858112682752, 1795939347215, 'tool-call-ended', 'b5066dc9a2d34564', 72133, NULL, NULL);
INSERT INTO "events" VALUES (7, 858112682752, 1795939347675, 'model-replied turn-ended', 'b5066dc9a2d34564', 297, '222 75', '{"v":1,"type":"model-replied","turn":"b5066dc9a2d34564","model":"scripted","text":"Fetched.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"ant8nu"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"b5066dc9a2d34564","outcome":"completed"}');
INSERT INTO "events" VALUES (8, 0, 1795939347781, 'turn-started', 'aefcad47dfce41af', 138, NULL, '{"v":1,"type":"turn-started","turn":"aefcad47dfce41af","loopId":"aefcad47dfce41af","message":"Ask.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (10, 858112682753, 1795939348019, 'model-replied tool-call-suspended', 'aefcad47dfce41af', 545, '304 241', '{"v":1,"type":"model-replied","turn":"aefcad47dfce41af","model":"scripted","text":"","toolCalls":[{"id":"aefcad47dfce41af.9.0","providerId":"call_2_0","name":"ask_user","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"ant8nu"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-suspended","turn":"aefcad47dfce41af","call":"aefcad47dfce41af.9.0","wait":{"for":"result","message":"Run ''ask_user'' and send its result.","binding":"68a9598d9a0241ba5aca5b9345445ecbcb5ccf68719d3f8e2e2c1ea9c9c02db0"}}');
INSERT INTO "lease" VALUES (1, 858112682753, 'e9a0811b82014a79', 'aefcad47dfce41af', 'suspended', 'started', 0, 0, 1795939348019, 10, 1795939347781, 0, '', 0, NULL, 0);
INSERT INTO "inbox" VALUES (1, 'message', 'b59ff3a102d945ee', '');
INSERT INTO "chunks" VALUES ('event', 5, 0, NULL, 1, CAST('{"v":1,"type":"tool-call-ended","turn":"b5066dc9a2d34564","call":"b5066dc9a2d34564.3.0","result":{"type":"text","content":"⟨tång ×12000⟩"},"ms":1}' AS BLOB));
INSERT INTO "chunks" VALUES ('inbox', 1, 0, NULL, 1, CAST('{"v":1,"type":"turn-started","turn":"b59ff3a102d945ee","loopId":"b59ff3a102d945ee","message":"⟨kelp ×14000⟩","context":{},"principal":{"id":"ada"}}' AS BLOB));
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
