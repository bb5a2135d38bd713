-- do/holdfast-SessionObject/ec0f1dcd12cda4cde6cb76250de2237f9ef37a5d0b2be1bd61fe38ebf6026aca.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    turn TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    body TEXT
  );
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    turn TEXT,
    state TEXT NOT NULL,
    cause TEXT NOT NULL,
    expired INTEGER NOT NULL,
    expiredFor INTEGER NOT NULL,
    grace INTEGER
  );
CREATE TABLE requests (
    key TEXT PRIMARY KEY,
    body_hash TEXT NOT NULL,
    turn TEXT NOT NULL,
    seq INTEGER NOT NULL,
    expires INTEGER NOT NULL
  ) WITHOUT ROWID;
CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE agenda (
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    due INTEGER NOT NULL,
    PRIMARY KEY (kind, ref)
  ) WITHOUT ROWID;
CREATE TABLE chunks (
    owner TEXT NOT NULL,
    seq INTEGER NOT NULL,
    part INTEGER NOT NULL,
    reducer INTEGER,
    body BLOB NOT NULL, messages_from INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (owner, seq, part)
  );
CREATE TABLE _cf_METADATA (
        key INTEGER PRIMARY KEY,
        value BLOB
      );
INSERT INTO "schema" VALUES (2, '["ada","summary-dropped","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781515, 'session-opened', '', 90, '{"v":1,"type":"session-opened","incarnation":"61c789aeb0b44219","agent":"summary-dropped"}');
INSERT INTO "events" VALUES (2, 0, 1795369781515, 'turn-started', '35099c815e454448', 137, '{"v":1,"type":"turn-started","turn":"35099c815e454448","loopId":"35099c815e454448","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 920878360445, 1795369781887, 'model-replied', '35099c815e454448', 247, '{"v":1,"type":"model-replied","turn":"35099c815e454448","model":"scripted","text":"","toolCalls":[{"id":"35099c815e454448.3.0","providerId":"call_0_0","name":"pay","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 920878360445, 1795369781887, 'tool-call-started', '35099c815e454448', 106, '{"v":1,"type":"tool-call-started","turn":"35099c815e454448","call":"35099c815e454448.3.0","effect":"once"}');
INSERT INTO "events" VALUES (5, 920878360445, 1795369782038, 'tool-call-ended', '35099c815e454448', 146, '{"v":1,"type":"tool-call-ended","turn":"35099c815e454448","call":"35099c815e454448.3.0","result":{"type":"text","content":"pay is done"},"ms":114}');
INSERT INTO "events" VALUES (6, 920878360445, 1795369782090, 'model-replied', '35099c815e454448', 380, '{"v":1,"type":"model-replied","turn":"35099c815e454448","model":"scripted","text":"Paid as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, .","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 920878360445, 1795369782090, 'turn-ended', '35099c815e454448', 75, '{"v":1,"type":"turn-ended","turn":"35099c815e454448","outcome":"completed"}');
INSERT INTO "events" VALUES (8, 0, 1795369782174, 'turn-started', '4e5678c009b540b5', 143, '{"v":1,"type":"turn-started","turn":"4e5678c009b540b5","loopId":"4e5678c009b540b5","message":"And then?","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (9, 920878360446, 1795369782245, 'model-replied', '4e5678c009b540b5', 380, '{"v":1,"type":"model-replied","turn":"4e5678c009b540b5","model":"scripted","text":"Paid as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, .","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (10, 920878360446, 1795369782245, 'turn-ended', '4e5678c009b540b5', 75, '{"v":1,"type":"turn-ended","turn":"4e5678c009b540b5","outcome":"completed"}');
INSERT INTO "events" VALUES (11, 0, 1795369782291, 'turn-started', 'b3122a3c9d5d418a', 137, '{"v":1,"type":"turn-started","turn":"b3122a3c9d5d418a","loopId":"b3122a3c9d5d418a","message":"On.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (12, 920878360447, 1795369782350, 'summary-dropped', 'b3122a3c9d5d418a', 139, '{"v":1,"type":"summary-dropped","turn":"b3122a3c9d5d418a","reason":"no-shorter","tokens":117,"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 920878360447, 1795369782384, 'model-replied', 'b3122a3c9d5d418a', 166, '{"v":1,"type":"model-replied","turn":"b3122a3c9d5d418a","model":"scripted","text":"Yes.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (14, 920878360447, 1795369782384, 'turn-ended', 'b3122a3c9d5d418a', 75, '{"v":1,"type":"turn-ended","turn":"b3122a3c9d5d418a","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 920878360447, '07560be80489455a', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
