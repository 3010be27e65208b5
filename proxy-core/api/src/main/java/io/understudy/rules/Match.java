package io.understudy.rules;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The condition of a rule: it holds when all of its keys hold. A key with several values holds when one of the plain
 * ones matches (if there are plain ones) and none of the negated ones does. A key that is not given always holds; the
 * record then has an empty list.
 *
 * <p>Unknown values never match: a rule with {@code table}, {@code digest} or {@code pattern} does not hold for a
 * statement whose text is too long to analyse, not even when the value is negated.
 *
 * @param user user names of the login
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

    /** A condition without keys: holds for every statement. */
    public static final Match ANY = new Match(null, null, null, null, null, null, null);

    public Match(
            @Nullable List<NameGlob> user,
            @Nullable List<NameGlob> schema,
            @Nullable List<ClientNet> client,
            @Nullable List<TableGlob> table,
            @Nullable List<KindTerm> kind,
            @Nullable List<DigestTerm> digest,
            @Nullable List<TextPattern> pattern) {
        List<String> refusals = new ArrayList<>();
        this.user = given(user, "user", refusals);
        this.schema = given(schema, "schema", refusals);
        this.client = given(client, "client", refusals);
        this.table = given(table, "table", refusals);
        this.kind = given(kind, "kind", refusals);
        this.digest = given(digest, "digest", refusals);
        this.pattern = given(pattern, "pattern", refusals);
        if (!refusals.isEmpty()) {
            throw new IllegalArgumentException(String.join("\n", refusals));
        }
    }

    private static <T> List<T> given(@Nullable List<T> values, String key, List<String> refusals) {
        if (values == null) {
            return List.of();
        }
        if (values.isEmpty()) {
            // Reading an empty list as "everything" would be the opposite of what its author meant.
            refusals.add(key + ": an empty list matches nothing; leave the key out to match everything");
        }
        return List.copyOf(values);
    }

    /** Returns whether there is a key that depends on the statement. */
    public boolean hasStatementKeys() {
        return !table.isEmpty() || !kind.isEmpty() || !digest.isEmpty() || !pattern.isEmpty();
    }
}
