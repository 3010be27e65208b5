package io.understudy.rebuild;

import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Detects whether a name still belongs to the same table. Online schema changes exchange a table for another of the
 * same name, TRUNCATE replaces it; the identifier of its tablespace tells them apart. Tables without files that are
 * recognised by name count as unchanged.
 */
final class TableIdentities {
    private final StandbyQueries standby;
    private final Map<String, Set<Long>> known = new HashMap<>();

    /** Keeps which tables have which names now. */
    TableIdentities(StandbyQueries standby) throws SQLException {
        this.standby = standby;
        TableSize.files(standby)
                .forEach(file -> known.computeIfAbsent(
                                file.name().schema() + "." + file.name().table(), key -> new HashSet<>())
                        .add(file.space()));
    }

    /** Returns why a table is not the one that had its name, or an empty text. */
    String changed(Subject subject) throws SQLException {
        Set<Long> then = known.getOrDefault(subject.shown(), Set.of());
        Set<Long> now = spaces(TableSize.files(standby, subject.schema(), subject.table()));
        return then.isEmpty() || now.isEmpty() || !Collections.disjoint(then, now)
                ? ""
                : "another table has its name since this run began (an exchange by RENAME, TRUNCATE, or a rebuild by"
                        + " replication), so it was left alone; report pages says what a rebuild would free now";
    }

    /** Keeps which table has the name now. */
    void keep(Subject subject) throws SQLException {
        known.put(subject.shown(), spaces(TableSize.files(standby, subject.schema(), subject.table())));
    }

    /** Returns the tablespaces of all tables. */
    Set<Long> all() throws SQLException {
        return spaces(TableSize.files(standby));
    }

    /**
     * Returns why the table that was rebuilt no longer has its name, or an empty text. A rebuild gives each file a new
     * tablespace, so one that was there before belongs to another table.
     *
     * @param before the tablespaces of all tables before the rebuild
     * @param copies the tablespaces of copies that were seen during the rebuild, also of other tables
     */
    String taken(Subject subject, Set<Long> before, Set<Long> copies) throws SQLException {
        List<TableSize.File> files = TableSize.files(standby);
        if (files.stream().noneMatch(file -> isOf(file, subject) && before.contains(file.space()))) {
            return "";
        }
        String renamed = files.stream()
                .filter(file -> copies.contains(file.space()) && !before.contains(file.space()))
                .map(file -> "; the rebuilt one is " + file.name().shown())
                .findFirst()
                .orElse("");
        return "another table has its name (an exchange by RENAME), so there are no figures after the rebuild"
                + renamed;
    }

    private static boolean isOf(TableSize.File file, Subject subject) {
        return file.name().schema().equals(subject.schema())
                && file.name().table().equals(subject.table());
    }

    private static Set<Long> spaces(List<TableSize.File> files) {
        return files.stream().map(TableSize.File::space).collect(Collectors.toSet());
    }
}
