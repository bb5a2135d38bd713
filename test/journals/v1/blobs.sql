-- do/holdfast-SessionObject/2b427becc3100924d034facd912c7fbe02fa4ee9682592f7e10d2a8db59514d0.sqlite
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
INSERT INTO "sqlite_sequence" VALUES ('inbox', 1);
INSERT INTO "schema" VALUES (1, '["ada","blobs","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290431, 'session-opened', '', 80, '{"v":1,"type":"session-opened","incarnation":"624dc07e843b4e86","agent":"blobs"}');
INSERT INTO "events" VALUES (2, 0, 1795934290431, 'turn-started', 'cd719e4bedb640ab', 137, '{"v":1,"type":"turn-started","turn":"cd719e4bedb640ab","loopId":"cd719e4bedb640ab","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 730922880769, 1795934294819, 'model-replied', 'cd719e4bedb640ab', 306, '{"v":1,"type":"model-replied","turn":"cd719e4bedb640ab","model":"scripted","text":"","toolCalls":[{"id":"cd719e4bedb640ab.3.0","providerId":"call_0_0","name":"fetch_page","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"ant8nu"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 730922880769, 1795934294819, 'tool-call-started', 'cd719e4bedb640ab', 106, '{"v":1,"type":"tool-call-started","turn":"cd719e4bedb640ab","call":"cd719e4bedb640ab.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 730922880769, 1795934294819, 'tool-call-ended', 'cd719e4bedb640ab', 72133, NULL);
INSERT INTO "events" VALUES (6, 730922880769, 1795934297984, 'model-replied', 'cd719e4bedb640ab', 222, '{"v":1,"type":"model-replied","turn":"cd719e4bedb640ab","model":"scripted","text":"Fetched.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"ant8nu"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 730922880769, 1795934297984, 'turn-ended', 'cd719e4bedb640ab', 75, '{"v":1,"type":"turn-ended","turn":"cd719e4bedb640ab","outcome":"completed"}');
INSERT INTO "events" VALUES (8, 0, 1795934298683, 'turn-started', 'c49dd60aafd24255', 138, '{"v":1,"type":"turn-started","turn":"c49dd60aafd24255","loopId":"c49dd60aafd24255","message":"Ask.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (9, 730922880770, 1795934300076, 'model-replied', 'c49dd60aafd24255', 304, '{"v":1,"type":"model-replied","turn":"c49dd60aafd24255","model":"scripted","text":"","toolCalls":[{"id":"c49dd60aafd24255.9.0","providerId":"call_2_0","name":"ask_user","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"ant8nu"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (10, 730922880770, 1795934300076, 'tool-call-suspended', 'c49dd60aafd24255', 241, '{"v":1,"type":"tool-call-suspended","turn":"c49dd60aafd24255","call":"c49dd60aafd24255.9.0","wait":{"for":"result","message":"Run ''ask_user'' and send its result.","binding":"68a9598d9a0241ba5aca5b9345445ecbcb5ccf68719d3f8e2e2c1ea9c9c02db0"}}');
INSERT INTO "lease" VALUES (1, 730922880770, '595eeef933df47a5', 'c49dd60aafd24255', 'suspended', 'started', 0, 0, 1795934300076, 10, 1795934298683, 0, '', 0);
INSERT INTO "inbox" VALUES (1, 'message', '41cb9b853901491d', '');
INSERT INTO "chunks" VALUES ('event', 5, 0, NULL, 1, CAST('{"v":1,"type":"tool-call-ended","turn":"cd719e4bedb640ab","call":"cd719e4bedb640ab.3.0","result":{"type":"text","content":"⟨tång ×12000⟩"},"ms":2}' AS BLOB));
INSERT INTO "chunks" VALUES ('inbox', 1, 0, NULL, 1, CAST('{"v":1,"type":"turn-started","turn":"41cb9b853901491d","loopId":"41cb9b853901491d","message":"⟨kelp ×14000⟩","context":{},"principal":{"id":"ada"}}' AS BLOB));
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
