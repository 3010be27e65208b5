package io.understudy.rules;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When a rule holds: all of its keys must. A key with several values holds when one of the plain ones matches (if there
 * are plain ones) and none of the negated ones does. A key that is not given always holds; the record then has an empty
 * list.
 *
 * <p>What is not known never matches: a rule with {@code table}, {@code digest} or {@code pattern} does not hold for a
 * statement whose text is too long to be read, not even when the value is negated.
 *
 * @param user user names as logged in with
 * @param schema the session's default schema
 * @param client the client's address
 * @param table tables read or written
 * @param kind kind of statement
 * @param digest digest of the statement
 * @param pattern regular expressions over the normalised text
 */
public record Match(
        List<NameGlob> user,
        List<NameGlob> schema,
        List<ClientNet> client,
        List<TableGlob> table,
        List<KindTerm> kind,
        List<DigestTerm> digest,
        List<TextPattern> pattern) {

    /** No keys: holds for every statement. */
    @SuppressWarnings("NullAway") // As the binder passes absent keys.
    public static final Match ANY = new Match(null, null, null, null, null, null, null);

    public Match {
        List<String> refusals = new ArrayList<>();
        user = given(user, "user", refusals);
        schema = given(schema, "schema", refusals);
        client = given(client, "client", refusals);
        table = given(table, "table", refusals);
        kind = given(kind, "kind", refusals);
        digest = given(digest, "digest", refusals);
        pattern = given(pattern, "pattern", refusals);
        if (!refusals.isEmpty()) {
            throw new IllegalArgumentException(String.join("\n", refusals));
        }
    }

    private static <T> List<T> given(@Nullable List<T> values, String key, List<String> refusals) {
        if (values == null) {
            return List.of();
        }
        if (values.isEmpty()) {
            // Silently meaning "everything" would be the opposite of what whoever emptied the list wanted.
            refusals.add(key + ": an empty list matches nothing; leave the key out to match everything");
        }
        return List.copyOf(values);
    }

    /** Whether there is a key that only a statement can answer. */
    public boolean hasStatementKeys() {
        return !table.isEmpty() || !kind.isEmpty() || !digest.isEmpty() || !pattern.isEmpty();
    }

    /** Whether there is a key that the session answers. */
    public boolean hasSessionKeys() {
        return !user.isEmpty() || !schema.isEmpty() || !client.isEmpty();
    }
}
