package io.understudy.readiness;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a difference in a global variable means. One that is in no list warns, whatever it is: a new version's variable
 * counts until somebody says that it may differ.
 */
final class VariableRules {
    /** Compares a value of the standby with the primary's. */
    enum Rule {
        /** Any difference counts. */
        SAME,
        /** The order of the words does not. */
        WORDS,
        /** Counts if the primary has it on and the standby off. */
        ON,
        /** Counts if the primary has it off and the standby on. */
        OFF,
        /** Only a lower number counts; it blocks below half of the primary's. */
        NOT_LESS,
        /** The same, and 0 is without a limit. */
        NOT_LESS_ZERO_IS_MOST,
        /** 1 is safest, 0 least; a less safe value counts. */
        AS_SAFE,
        /** The same, and 3 is as safe as 1: it only flushes more often (MariaDB). */
        AS_SAFE_WITH_3,
        /** Counts unless it is on, whatever the primary has. */
        MUST_BE_ON
    }

    /**
     * @param severity of a difference
     * @param why why it matters at the promotion
     */
    record Meaning(Rule rule, Severity severity, String why) {}

    /** What is not in any list. */
    static final Meaning OTHER = new Meaning(
            Rule.SAME, Severity.WARNS, "limits, speed or what is written to its logs may change with the promotion");

    private static final String STATEMENTS = "the same statement may be refused, or store or return other values";
    private static final String LIMIT = "statements or connections that the primary takes are refused or cut off";

    private static final Map<String, Meaning> MEANINGS = new HashMap<>();

    static {
        add(
                Rule.WORDS,
                Severity.BLOCKS,
                STATEMENTS,
                "sql_mode old_mode character_set_collations disabled_storage_engines default_regex_flags");
        add(Rule.SAME, Severity.BLOCKS, STATEMENTS, """
                activate_all_roles_on_login auto_increment_increment auto_increment_offset autocommit
                automatic_sp_privileges block_encryption_mode character_set_client character_set_connection
                character_set_filesystem character_set_results character_set_server check_constraint_checks
                collation_connection collation_server completion_type default_collation_for_utf8mb4
                default_storage_engine default_tmp_storage_engine default_week_format div_precision_increment
                enforce_storage_engine explicit_defaults_for_timestamp foreign_key_checks ft_boolean_syntax
                ft_max_word_len ft_min_word_len ft_stopword_file init_connect innodb_ft_enable_stopword
                innodb_ft_max_token_size innodb_ft_min_token_size innodb_ft_server_stopword_table
                innodb_ft_user_stopword_table innodb_rollback_on_timeout innodb_snapshot_isolation innodb_strict_mode
                lc_time_names lower_case_table_names mandatory_roles mysql56_temporal_format ngram_token_size
                old_passwords partial_revokes require_secure_transport skip_name_resolve sql_auto_is_null sql_if_exists
                sql_big_selects sql_generate_invisible_primary_key sql_safe_updates standard_compliant_cte
                system_time_zone system_versioning_alter_history system_versioning_asof
                system_versioning_insert_history time_zone transaction_isolation transaction_read_only tx_isolation
                tx_read_only unique_checks updatable_views_with_limit windowing_use_high_precision
                """);
        add(Rule.OFF, Severity.BLOCKS, "writes or logins that the primary takes are refused", """
                innodb_force_primary_key innodb_force_recovery innodb_read_only innodb_read_only_compressed
                offline_mode restrict_fk_on_non_standard_key skip_grant_tables skip_networking skip_show_database
                sql_require_primary_key strict_password_validation password_require_current
                """);
        add(
                Rule.ON,
                Severity.BLOCKS,
                "statements or logins that the primary takes are refused",
                "local_infile log_bin_trust_function_creators have_ssl have_dynamic_loading have_geometry"
                        + " have_symlink show_gipk_in_create_table_and_information_schema");
        add(Rule.NOT_LESS, Severity.WARNS, LIMIT, """
                connect_timeout cte_max_recursion_depth connection_memory_limit global_connection_memory_limit
                group_concat_max_len innodb_lock_wait_timeout innodb_online_alter_log_max_size interactive_timeout
                lock_wait_timeout max_allowed_packet max_binlog_cache_size max_binlog_stmt_cache_size
                max_connect_errors max_connections max_error_count max_heap_table_size max_join_size
                max_length_for_sort_data max_password_errors max_points_in_geometry max_prepared_stmt_count
                max_recursive_iterations max_session_mem_used max_sort_length max_sp_recursion_depth net_read_timeout
                net_write_timeout parser_max_mem_size regexp_stack_limit regexp_time_limit sql_select_limit
                thread_stack tmp_disk_table_size wait_timeout
                """);
        add(Rule.NOT_LESS_ZERO_IS_MOST, Severity.WARNS, LIMIT, """
                default_password_lifetime idle_readonly_transaction_timeout idle_transaction_timeout
                idle_write_transaction_timeout max_execution_time max_statement_time max_tmp_session_space_usage
                max_tmp_total_space_usage max_user_connections
                """);
        add(
                Rule.SAME,
                Severity.BLOCKS,
                "what the applier skips or overwrites without an error is lost, and nobody is told",
                "replica_exec_mode replica_skip_errors slave_exec_mode slave_skip_errors sql_log_bin sql_log_off"
                        + " replicate_rewrite_db replicate_events_marked_for_skip replica_type_conversions"
                        + " slave_type_conversions slave_run_triggers_for_rbr");
        add(
                Rule.AS_SAFE,
                Severity.WARNS,
                "a crash loses commits, or leaves standbys with more than it has",
                "sync_binlog");
        add(Rule.AS_SAFE_WITH_3, Severity.WARNS, "a crash loses commits", "innodb_flush_log_at_trx_commit");
        add(
                Rule.NOT_LESS,
                Severity.WARNS,
                "the working set may not fit, so reads go to the disk",
                "innodb_buffer_pool_size");
        add(
                Rule.SAME,
                Severity.WARNS,
                "scheduled events may stop, or run on both servers, after the promotion",
                "event_scheduler");
        add(
                Rule.SAME,
                Severity.WARNS,
                "its standbys and the readers of its binary log get other events",
                "binlog_format binlog_row_image binlog_row_metadata binlog_row_value_options binlog_checksum");
        add(
                Rule.MUST_BE_ON,
                Severity.WARNS,
                "nothing can replicate from it after the promotion, nor be restored to a point in time; what was"
                        + " written on it alone is not known either",
                "log_bin");
        add(
                Rule.MUST_BE_ON,
                Severity.WARNS,
                "its binary log lacks all that it replicated: other standbys that are behind cannot continue from it",
                "log_slave_updates log_replica_updates");
    }

    /** What may differ between a primary and its standby, by reason. */
    private static final List<Pattern> MAY_DIFFER = Stream.of(
                    // Paths, addresses and names of the server.
                    ".*(dir|dir_path|_file|_basename|_index|_path|_directories|logname)",
                    "(admin_)?(port|address)|bind_address|extra_port|hostname|socket|report_.*|server_.*id|relay_log",
                    "(admin_)?ssl_(ca|capath|cert|crl|crlpath|key)|caching_sha2_.*_path|sha256_.*_path|wsrep_.*",
                    "innodb_data_file_path|innodb_temp_data_file_path|innodb_buffer_pool_filename|log_error",
                    // The build; another series is a finding of its own.
                    "version.*|innodb_version|build_id|license|protocol_version|binlog_storage_engine",
                    // State, and switches that do something once.
                    "gtid_(binlog|current|slave)_(pos|state)|gtid_(executed|purged|owned)|gtid_seq_no|timestamp",
                    "innodb_buffer_pool_(dump_now|load_now|load_abort)|innodb_.*_now|innodb_monitor_.*",
                    "innodb_stats_modified_counter|innodb_fast_shutdown|innodb_max_purge_lag_wait|innodb_ft_aux_table",
                    "(character_set|collation)_database|.*_skip_counter|persisted_globals_load|redirect_url",
                    // Other checks of the gate.
                    "(super_)?read_only|rpl_semi_sync_.*|replicate_(do|ignore|wild)_.*|group_replication_.*",
                    // How a standby receives and applies. What it skips is listed above.
                    "(slave|replica|master|source)_.*|skip_(slave|replica)_start|init_(slave|replica)",
                    "sync_(master|relay|source)_.*|relay_log_(purge|space_limit|info.*)|max_relay_log_size",
                    "rpl_.*|replication_.*|read_binlog_speed_limit|gtid_cleanup_batch_size|gtid_pos_auto_engines",
                    "binlog_transaction_dependency_.*|binlog_(commit_wait|group_commit)_.*",
                    // Sizes of memory and files, threads, and what follows from the machine.
                    ".*_(buffer|buff|cache|pool|block|log_file|chunk|prealloc|alloc|alloc_block)_(size|instances)",
                    ".*_(threads|cache|cleaners|cache_instances|cache_segments|pool_instances|cache_triggers)",
                    "back_log|open_files_limit|innodb_open_files|thread_(cache|pool)_.*|tmp(_memory)?_table_size",
                    "temptable_.*|performance_schema.*|large_page.*|locked_in_memory|core_file|container_aware",
                    "server_mem.*",
                    "innodb_(io|flush|flushing|lru|purge|read|write|page_cleaners|adaptive|max_dirty|"
                            + "redo_log_capac)(?!_only).*",
                    "innodb_(log|doublewrite|dedicated|numa|spin|sync|concurrency|thread|undo|ddl|change)_.*",
                    "innodb_(old_blocks|random_read|buffer_pool|parallel_read|data_file|idle_flush|use_).*",
                    "(key_cache|aria_pagecache|host_cache|metadata_locks|schema_def|mrr|join_buffer).*",
                    "table_(open|definition)_cache.*|tablespace_definition_cache|stored_program_.*|query_cache_.*",
                    // Its own logs and measurements.
                    "general_log|slow_query_log|log_(slow|output|queries|throttle|warnings|error|timestamps|raw).*",
                    "long_query_time|min_examined_row_limit|slow_launch_time|userstat|profiling.*|histogram_.*",
                    "innodb_(print|status|cmp_per_index|stats|deadlock_report|buf_dump).*|optimizer_trace.*")
            .map(Pattern::compile)
            .toList();

    private VariableRules() {}

    private static void add(Rule rule, Severity severity, String why, String names) {
        for (String name : names.strip().split("\\s+")) {
            MEANINGS.put(name, new Meaning(rule, severity, why));
        }
    }

    /** Returns what a difference means, or null if the variable may differ. */
    static @Nullable Meaning of(String variable) {
        Meaning meaning = MEANINGS.get(variable);
        if (meaning != null) {
            return meaning;
        }
        return MAY_DIFFER.stream().anyMatch(names -> names.matcher(variable).matches()) ? null : OTHER;
    }
}
