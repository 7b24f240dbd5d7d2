# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mlx5_ifc.h -> a header for tests/oracle/mlx5_ifc.c: the structures and unions of the registers that madkit also has,
# and MLX5_FIELDS(X): X(structure, member) for each member that is not reserved, a structure or a union.
/^(struct|union) mlx5_ifc_[a-z0-9_]+_bits {/ {
	name = $2
	sub(/^mlx5_ifc_/, "", name)
	sub(/_bits$/, "", name)
	wanted = name ~ /(_grp_data_layout(_auto)?|^phys_layer_.*|^rs_histogram_cntrs|^lane_2_module_mapping)$/ ||
		name ~ /^pddr_/ || name ~ /^(mtcap|mtmp|plib|pmaos|pmlp|ppcnt|ptys)_reg$/
}
!wanted { next }
{ print }
$1 == "u8" && $2 !~ /^reserved_at_/ {
	member = $2
	sub(/\[.*/, "", member)
	list = list " \\\n\tX(" name ", " member ")"
}
/^};/ { wanted = 0 }
END { print "#define MLX5_FIELDS(X)" list }
