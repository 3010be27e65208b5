package io.understudy.sql;

import java.util.Locale;
import java.util.Set;

/**
 * The session variables that change how much a read reads or what it returns, and nothing else. A session's value of
 * each may be set on another connection to the same product.
 */
public final class ReadVariables {

    private static final Set<String> CARRIED = Set.of((
            // How many rows.
            "sql_select_limit max_join_size sql_big_selects cte_max_recursion_depth max_recursive_iterations"
                    // Which plan.
                    + " optimizer_switch optimizer_search_depth optimizer_prune_level"
                    + " optimizer_use_condition_selectivity optimizer_selectivity_sampling_limit"
                    + " optimizer_max_sel_arg_weight optimizer_max_sel_args optimizer_extra_pruning_depth"
                    + " optimizer_join_limit_pref_ratio optimizer_adjust_secondary_key_costs"
                    + " optimizer_where_cost optimizer_scan_setup_cost use_stat_tables join_cache_level"
                    + " eq_range_index_dive_limit range_optimizer_max_mem_size max_seeks_for_key"
                    + " in_predicate_conversion_threshold expand_fast_index_merges mhnsw_ef_search"
                    // Which result.
                    + " group_concat_max_len div_precision_increment max_sort_length lc_time_names"
                    + " default_week_format old_mode timestamp system_versioning_asof"
                    + " character_set_collations default_collation_for_utf8mb4")
            .split(" "));

    private static final Set<String> OF_ONE_STATEMENT =
            Set.of(("max_statement_time sort_buffer_size join_buffer_size join_buffer_space_limit read_buffer_size"
                            + " read_rnd_buffer_size mrr_buffer_size tmp_table_size tmp_memory_table_size"
                            + " max_heap_table_size tmp_disk_table_size max_length_for_sort_data big_tables"
                            + " rowid_merge_buff_size sql_buffer_result net_read_timeout net_write_timeout"
                            + " query_cache_type histogram_type")
                    .split(" "));

    private ReadVariables() {}

    /** Returns whether a mirrored read needs the session's value. */
    public static boolean carried(String name) {
        return CARRIED.contains(name.toLowerCase(Locale.ROOT));
    }

    /** Returns whether a value set for one read affects only that read. */
    static boolean ofOneStatement(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return CARRIED.contains(lower) || OF_ONE_STATEMENT.contains(lower);
    }
}
