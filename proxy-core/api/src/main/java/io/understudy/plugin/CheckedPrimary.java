package io.understudy.plugin;

import io.understudy.sql.AccountGrants;
import io.understudy.sql.Quoting;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What {@code understudy check --connect} has read of the primary.
 *
 * @param schemas the application's schemas that the monitor account sees
 * @param all whether it sees every schema
 * @param account the monitor account, as GRANT wants it; empty if the primary gave no response
 * @param poolBytes {@code innodb_buffer_pool_size}, or -1
 */
public record CheckedPrimary(List<String> schemas, boolean all, String account, long poolBytes) {
    /** The primary was not queried, or gave no response. */
    public static final CheckedPrimary UNKNOWN = new CheckedPrimary(List.of(), false, "", -1);

    /** Returns the schemas that a test of {@link AccountGrants} does not hold for. */
    public List<String> without(Predicate<String> granted) {
        return schemas.stream().filter(granted.negate()).toList();
    }

    /** Returns the statements that grant a privilege on schemas. */
    public static String grant(List<String> schemas, String privilege, String account) {
        return schemas.stream()
                .map(name -> "GRANT " + privilege + " ON " + Quoting.schemaPattern(name) + " TO " + account)
                .collect(Collectors.joining("; "));
    }
}
