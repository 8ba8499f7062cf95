"""The functions of PyTorch and SciPy by name, those that adjoint has under another name, and why others are absent.

`functions_page.py` makes a page of these tables, and `tests/stories/test_docs.py` compares them with the libraries.
"""

from adjoint.compat import methods, names

# PyTorch's functions of tensors: `torch`, those of `torch.nn.functional` that `torch` lacks, and those methods of
# `torch.Tensor` that are neither. Names that end in _ work in place and are left out.
TORCH = """
abs absolute acos acosh adaptive_avg_pool1d adaptive_max_pool1d add addbmm addcdiv addcmul addmm addmv addr adjoint
affine_grid_generator alias_copy all allclose alpha_dropout amax amin aminmax angle any arange arccos arccosh arcsin
arcsinh arctan arctan2 arctanh argmax argmin argsort argwhere as_strided as_strided_copy as_strided_scatter as_tensor
asarray asin asinh atan atan2 atanh atleast_1d atleast_2d atleast_3d avg_pool1d baddbmm bartlett_window batch_norm
batch_norm_backward_elemt batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats
batch_norm_gather_stats_with_counts batch_norm_stats batch_norm_update_stats bernoulli bilinear
binary_cross_entropy_with_logits bincount binomial bitwise_and bitwise_left_shift bitwise_not bitwise_or
bitwise_right_shift bitwise_xor blackman_window block_diag bmm broadcast_shapes broadcast_tensors broadcast_to
bucketize can_cast cartesian_prod cat ccol_indices_copy cdist ceil celu chain_matmul channel_shuffle cholesky
cholesky_inverse cholesky_solve choose_qparams_optimized chunk clamp clamp_max clamp_min clip clone col_indices_copy
column_stack combinations complex concat concatenate conj conj_physical constant_pad_nd conv1d conv2d conv3d conv_tbc
conv_transpose1d conv_transpose2d conv_transpose3d convolution copysign corrcoef cos cosh cosine_embedding_loss
cosine_similarity count_nonzero cov cross crow_indices_copy ctc_loss cudnn_affine_grid_generator cudnn_batch_norm
cudnn_convolution cudnn_convolution_add_relu cudnn_convolution_relu cudnn_convolution_transpose cudnn_grid_sampler
cudnn_is_acceptable cummax cummin cumprod cumsum cumulative_trapezoid deg2rad dequantize det detach detach_copy diag
diag_embed diagflat diagonal diagonal_copy diagonal_scatter diff digamma dist div divide dot dropout dsmm dsplit
dstack einsum embedding embedding_bag empty empty_like empty_permuted empty_quantized empty_strided eq equal erf erfc
erfinv exp exp2 expand_copy expm1 eye fake_quantize_per_channel_affine fake_quantize_per_tensor_affine
fbgemm_linear_fp16_weight fbgemm_linear_fp16_weight_fp32_activation fbgemm_linear_int8_weight
fbgemm_linear_int8_weight_fp32_activation fbgemm_linear_quantize_weight fbgemm_pack_gemm_matrix_fp16
fbgemm_pack_quantized_matrix feature_alpha_dropout feature_dropout fill fix flatten flip fliplr flipud float_power
floor floor_divide fmax fmin fmod frac frexp frobenius_norm from_file from_numpy frombuffer full full_like
fused_moving_avg_obs_fake_quant gather gcd ge geqrf ger get_device gradient greater greater_equal grid_sampler
grid_sampler_2d grid_sampler_3d group_norm gru gru_cell gt hamming_window hann_window hardshrink hash_tensor heaviside
hinge_embedding_loss histc histogram histogramdd hsmm hsplit hspmm hstack hypot i0 igamma igammac imag index_add
index_copy index_fill index_put index_reduce index_select indices_copy inner instance_norm int_repr inverse is_complex
is_conj is_distributed is_floating_point is_inference is_neg is_nonzero is_same_size is_signed is_vulkan_available
isclose isfinite isin isinf isnan isneginf isposinf isreal istft kaiser_window kl_div kron kthvalue layer_norm lcm
ldexp le lerp less less_equal lgamma linspace log log10 log1p log2 log_softmax logaddexp logaddexp2 logcumsumexp
logdet logical_and logical_not logical_or logical_xor logit logspace logsumexp lstm lstm_cell lt lu lu_solve lu_unpack
margin_ranking_loss masked_fill masked_scatter masked_select matmul matrix_exp matrix_power max max_pool1d
max_pool1d_with_indices max_pool2d max_pool3d maximum mean median meshgrid min minimum miopen_batch_norm
miopen_convolution miopen_convolution_add_relu miopen_convolution_relu miopen_convolution_transpose miopen_ctc_loss
miopen_depthwise_convolution miopen_rnn mkldnn_adaptive_avg_pool2d mkldnn_convolution mkldnn_linear_backward_weights
mkldnn_max_pool2d mkldnn_max_pool3d mkldnn_rnn_layer mm mode moveaxis movedim msort mul multinomial multiply mv
mvlgamma nan_to_num nanmean nanmedian nanquantile nansum narrow narrow_copy native_batch_norm native_channel_shuffle
native_dropout native_group_norm native_layer_norm native_norm ne neg negative nextafter nonzero nonzero_static norm
norm_except_dim normal not_equal nuclear_norm numel ones ones_like orgqr ormqr outer pairwise_distance pca_lowrank
pdist permute permute_copy pinverse pixel_shuffle pixel_unshuffle poisson poisson_nll_loss polar polygamma positive
pow prelu prod promote_types put q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale
q_zero_point qr quantile quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic quantized_batch_norm
quantized_gru_cell quantized_lstm_cell quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d
quantized_rnn_relu_cell quantized_rnn_tanh_cell rad2deg rand rand_like randint randint_like randn randn_like randperm
range ravel real reciprocal relu remainder renorm repeat_interleave reshape resolve_conj resolve_neg result_type
rms_norm rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell roll rot90 round row_indices_copy row_stack rrelu rsqrt rsub
saddmm scalar_tensor scatter scatter_add scatter_reduce searchsorted segment_reduce select select_copy select_scatter
selu sgn sigmoid sign signbit sin sinc sinh slice_copy slice_inverse slice_scatter slogdet smm softmax sort
sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor
split split_copy split_with_sizes split_with_sizes_copy spmm sqrt square squeeze squeeze_copy sspaddmm stack std
std_mean stft sub subtract sum svd svd_lowrank swapaxes swapdims sym_constrain_range sym_constrain_range_for_size t
t_copy take take_along_dim tan tanh tensor tensor_split tensordot threshold tile topk trace transpose transpose_copy
trapezoid trapz triangular_solve tril tril_indices triplet_margin_loss triu triu_indices true_divide trunc unbind
unbind_copy unflatten unfold_copy unique unique_consecutive unravel_index unsafe_chunk unsafe_split
unsafe_split_with_sizes unsqueeze unsqueeze_copy values_copy vander var var_mean vdot view_as_complex
view_as_complex_copy view_as_real view_as_real_copy view_copy vsplit vstack where xlogy zeros zeros_like
"""
FUNCTIONAL = """
adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d_with_indices adaptive_max_pool2d
adaptive_max_pool2d_with_indices adaptive_max_pool3d adaptive_max_pool3d_with_indices affine_grid assert_int_or_pair
avg_pool2d avg_pool3d binary_cross_entropy boolean_dispatch cross_entropy dropout1d dropout2d dropout3d elu fold
fractional_max_pool2d fractional_max_pool2d_with_indices fractional_max_pool3d fractional_max_pool3d_with_indices
gaussian_nll_loss gelu glu grid_sample grouped_mm gumbel_softmax handle_torch_function hardsigmoid hardswish hardtanh
has_torch_function has_torch_function_unary has_torch_function_variadic huber_loss interpolate l1_loss leaky_relu
linear linear_cross_entropy local_response_norm logsigmoid lp_pool1d lp_pool2d lp_pool3d max_pool2d_with_indices
max_pool3d_with_indices max_unpool1d max_unpool2d max_unpool3d mish mse_loss multi_head_attention_forward
multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss nll_loss normalize one_hot pad relu6
scaled_dot_product_attention scaled_grouped_mm scaled_mm silu smooth_l1_loss soft_margin_loss softmin softplus
softshrink softsign tanhshrink triplet_margin_with_distance_loss unfold upsample upsample_bilinear upsample_nearest
"""
TENSOR = """
as_subclass backward bfloat16 bool byte ccol_indices cdouble cfloat chalf char coalesce col_indices const_data_ptr
contiguous cpu crow_indices cuda data_ptr dense_dim dim dim_order double eig element_size expand expand_as float half
index indices int ipu is_coalesced is_contiguous is_pinned is_set_to is_shared item long lstsq module_load mtia
ndimension nelement new new_empty new_empty_strided new_full new_ones new_tensor new_zeros numpy pin_memory qscheme
record_stream register_hook register_post_accumulate_grad_hook reinforce repeat reshape_as resize resize_as
retain_grad row_indices short size solve sparse_dim sparse_mask storage storage_offset storage_type stride sum_to_size
symeig to to_dense to_mkldnn to_padded_tensor to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc
to_sparse_csr tolist type type_as untyped_storage values view view_as xpu
"""
SPECIAL = """
agm ai_zeros airy airye assoc_laguerre assoc_legendre_p assoc_legendre_p_all bdtr bdtrc bdtri bdtrik bdtrin bei
bei_zeros beip beip_zeros ber ber_zeros bernoulli berp berp_zeros besselpoly beta betainc betaincc betainccinv
betaincinv betaln bi_zeros binom boxcox boxcox1p btdtria btdtrib c_roots cbrt cg_roots chdtr chdtrc chdtri chdtriv
chebyc chebys chebyt chebyu chndtr chndtridf chndtrinc chndtrix comb cosdg cosm1 cotdg dawsn digamma diric ellip_harm
ellip_harm_2 ellip_normal ellipe ellipeinc ellipj ellipk ellipkinc ellipkm1 elliprc elliprd elliprf elliprg elliprj
entr erf erf_zeros erfc erfcinv erfcx erfi erfinv euler eval_chebyc eval_chebys eval_chebyt eval_chebyu
eval_gegenbauer eval_genlaguerre eval_hermite eval_hermitenorm eval_jacobi eval_laguerre eval_legendre eval_sh_chebyt
eval_sh_chebyu eval_sh_jacobi eval_sh_legendre exp1 exp10 exp2 expi expit expm1 expn exprel factorial factorial2
factorialk fdtr fdtrc fdtri fdtridfd fresnel fresnel_zeros fresnelc_zeros fresnels_zeros gamma gammainc gammaincc
gammainccinv gammaincinv gammaln gammasgn gdtr gdtrc gdtria gdtrib gdtrix gegenbauer genlaguerre geterr h1vp
h2vp h_roots hankel1 hankel1e hankel2 hankel2e he_roots hermite hermitenorm huber hyp0f1 hyp1f1 hyp2f1 hyperu i0 i0e
i1 i1e inv_boxcox inv_boxcox1p it2i0k0 it2j0y0 it2struve0 itairy iti0k0 itj0y0 itmodstruve0 itstruve0 iv ive ivp j0 j1
j_roots jacobi jn jn_zeros jnjnp_zeros jnp_zeros jnyn_zeros js_roots jv jve jvp k0 k0e k1 k1e kei kei_zeros keip
keip_zeros kelvin kelvin_zeros ker ker_zeros kerp kerp_zeros kl_div kn kolmogi kolmogorov kv kve kvp l_roots la_roots
laguerre lambertw legendre legendre_p legendre_p_all lmbda log1p log_expit log_ndtr log_softmax log_wright_bessel
loggamma logit logsumexp lpmv lqmn lqn mathieu_a mathieu_b mathieu_cem mathieu_even_coef mathieu_modcem1
mathieu_modcem2 mathieu_modsem1 mathieu_modsem2 mathieu_odd_coef mathieu_sem modfresnelm modfresnelp modstruve
multigammaln nbdtr nbdtrc nbdtri nbdtrik nbdtrin ncfdtr ncfdtri ncfdtridfd ncfdtridfn ncfdtrinc nctdtr nctdtridf
nctdtrinc nctdtrit ndtr ndtri ndtri_exp nrdtrimn nrdtrisd obl_ang1 obl_ang1_cv obl_cv obl_cv_seq obl_rad1 obl_rad1_cv
obl_rad2 obl_rad2_cv owens_t p_roots pbdn_seq pbdv pbdv_seq pbvv pbvv_seq pbwa pdtr pdtrc pdtri pdtrik perm poch
polygamma powm1 pro_ang1 pro_ang1_cv pro_cv pro_cv_seq pro_rad1 pro_rad1_cv pro_rad2 pro_rad2_cv ps_roots pseudo_huber
psi radian rel_entr rgamma riccati_jn riccati_yn roots_chebyc roots_chebys roots_chebyt roots_chebyu roots_gegenbauer
roots_genlaguerre roots_hermite roots_hermitenorm roots_jacobi roots_laguerre roots_legendre roots_sh_chebyt
roots_sh_chebyu roots_sh_jacobi roots_sh_legendre round s_roots seterr sh_chebyt sh_chebyu sh_jacobi sh_legendre
shichi sici sinc sindg smirnov smirnovi softmax softplus spence sph_harm_y sph_harm_y_all sph_legendre_p
sph_legendre_p_all spherical_in spherical_jn spherical_kn spherical_yn stdtr stdtridf stdtrit stirling2 struve t_roots
tandg tklmbda ts_roots u_roots us_roots voigt_profile wofz wright_bessel wrightomega xlog1py xlogy y0 y0_zeros y1
y1_zeros y1p_zeros yn yn_zeros ynp_zeros yv yve yvp zeta zetac
"""

# What adjoint has under another name, or how to write it. A name in backticks must exist.
NAMES: dict[str, dict[str, str]] = {
    "torch": {
        # the same name, with a difference
        "max": "`adjoint.max`, with indices if the axis is given as `dim=`",
        "min": "`adjoint.min`, with indices if the axis is given as `dim=`",
        "median": "`adjoint.median`, the mean of the two middle elements, as in NumPy",
        "nanmedian": "`adjoint.nanmedian`, the mean of the two middle elements, as in NumPy",
        "meshgrid": "`adjoint.meshgrid`, with `indexing='xy'` by default, as in NumPy",
        "sort": "`adjoint.sort`, with indices if the axis is given as `dim=`",
        "split": "`adjoint.split`, given the size of the parts with `dim=`, and their number with `axis=`",
        "std": "`adjoint.std`, with `correction=1` if the axis is given as `dim=`, otherwise 0",
        "std_mean": "`adjoint.std_mean`, with `correction=1` if the axis is given as `dim=`, otherwise 0",
        "var": "`adjoint.var`, with `correction=1` if the axis is given as `dim=`, otherwise 0",
        "var_mean": "`adjoint.var_mean`, with `correction=1` if the axis is given as `dim=`, otherwise 0",
        # another name
        **names.TORCH,
    },
    "torch.nn.functional": {
        "pad": "`adjoint.pad`, with a pair of widths for each axis, as in NumPy",
        "dropout1d": "`adjoint.dropout`, of single elements",
        "dropout2d": "`adjoint.dropout`, of single elements",
        "dropout3d": "`adjoint.dropout`, of single elements",
        "fold": "`adjoint.col2im`",
        "linear_cross_entropy": "`nn.cross_entropy(adjoint.linear(x, w), labels)`",
        "local_response_norm": "`nn.LocalResponseNorm`",
        "multi_head_attention_forward": "`nn.Attention`",
        "triplet_margin_with_distance_loss": "`nn.triplet_margin`",
        "unfold": "`adjoint.im2col`",
        "upsample": "`adjoint.interpolate`",
        "upsample_bilinear": "`adjoint.interpolate`",
        "upsample_nearest": "`adjoint.interpolate`",
    },
    "torch.Tensor": {
        "lstsq": "`linalg.lstsq`",
        "repeat": "`v.tile`",
        "size": "`v.size()`, `v.size(0)`; without parentheses it is the number of elements, as in NumPy",
        "solve": "`linalg.solve`",
        "symeig": "`linalg.eigh`",
        **{name: ours for name, ours in methods.METHODS.items() if name in TENSOR.split()},
    },
    "scipy.special": {
        "betaincc": "`1 - special.betainc(a, b, x)`",
        "cbrt": "`adjoint.cbrt`",
        "comb": "`1 / ((n + 1) * special.beta(n - k + 1, k + 1))`",
        "binom": "`1 / ((n + 1) * special.beta(n - k + 1, k + 1))`",
        "cosm1": "`-2 * adjoint.sin(x / 2) ** 2`",
        "exp10": "`10.0**x`",
        "exp2": "`adjoint.exp2`",
        "expm1": "`adjoint.expm1`",
        "factorial": "`special.gamma(n + 1)`",
        "huber": "`nn.huber(r, 0.0, delta=delta, reduction='none')`",
        "log1p": "`adjoint.log1p`",
        "loggamma": "`special.gammaln`, of real numbers",
        "poch": "`adjoint.exp(special.gammaln(z + m) - special.gammaln(z))`, for positive z",
        "radian": "`adjoint.deg2rad`",
        "rgamma": "`adjoint.exp(-special.gammaln(x))`, for positive x",
        "round": "`adjoint.round`",
        "softplus": "`adjoint.softplus`",
    },
    "numpy": {
        "array": "`adjoint.Value`",
        "asarray": "`adjoint.Value`",
        "asanyarray": "`adjoint.Value`",
        "copyto": "`adjoint.where`",
        "fill_diagonal": "`v.at[index].set(x)`",
        "ldexp": "`x * adjoint.exp2(n)`",
        "modf": "`x - adjoint.trunc(x)`, `adjoint.trunc(x)`",
        "piecewise": "`adjoint.select`",
        "place": "`v.at[mask].set(x)`",
        "put": "`v.at[index].set(x)`",
        "put_along_axis": "`adjoint.scatter`",
        "putmask": "`v.at[mask].set(x)`",
        "row_stack": "`adjoint.vstack`",
    },
    "numpy.linalg": {},
    "numpy.fft": {},
}

# Why the others are absent: the decision, and the names that it is about, as regular expressions for each library.
DECISIONS: list[tuple[str, dict[str, str]]] = [
    (
        "Creates arrays without history: use NumPy, and `Value(x)` to differentiate.",
        {
            "numpy": r"arange bartlett blackman empty eye from.* full hamming hanning identity indices kaiser "
            r"ones tri zeros as(contiguous|fortran)array asarray_chkfinite asmatrix bmat require "
            r".*_indices ix_",
            "torch": r"asarray .*_window empty(_.*)? from_file frombuffer range scalar_tensor tri[lu]_indices "
            r"cartesian_prod combinations",
            "torch.Tensor": r"new new_.*",
        },
    ),
    (
        "Draws random numbers: use a generator of NumPy, and `Value(x)`.",
        {
            "torch": r"bernoulli binomial normal poisson randint_like rrelu (feature_)?alpha_dropout "
            r"feature_dropout",
            "torch.nn.functional": r"gumbel_softmax fractional_max_pool.*",
        },
    ),
    (
        "Gives integers, booleans or sets, which have no derivative: call it on `v.data`.",
        {
            "numpy": r"bincount bitwise_.* invert (left|right)_shift gcd lcm histogram.* intersect1d setdiff1d "
            r"setxor1d union1d unique.* packbits unpackbits ravel_multi_index unravel_index "
            r"trim_zeros frexp nextafter spacing broadcast_shapes",
            "torch": r"all allclose any argwhere bincount bitwise_.* broadcast_shapes bucketize count_nonzero "
            r"eq equal frexp gcd g[et] l[et] ne greater.* less.* not_equal hist.* is[^t].* lcm logical_.* "
            r"mode nextafter nonzero.* searchsorted signbit unique.* unravel_index hash_tensor",
            "torch.Tensor": r"is_.*",
        },
    ),
    (
        "Values are real. `adjoint.fft` gives spectra as pairs of real arrays.",
        {
            "numpy": r"sort_complex unwrap",
            "numpy.linalg": r"eig eigvals",
            "numpy.fft": r"hfft ihfft",
            "torch": r"angle complex conj.* imag istft stft polar real resolve_(conj|neg) "
            r"view_as_(complex|real)",
            "torch.Tensor": r"cdouble cfloat chalf eig",
            "scipy.special": r"wofz lambertw hankel.* h[12]vp sph_harm_y.* airye? wrightomega",
        },
    ),
    (
        "Reads, writes, formats or configures; it computes nothing.",
        {
            "numpy": r"base_repr binary_repr busday.* is_busday datetime.* format_float.* genfromtxt "
            r"get.* set_?(buf|err|print).* info load.* save.* printoptions show_.* test typename "
            r"mintypecode promote_types isdtype isfortran isnat isscalar issubdtype iterable "
            r"nested_iters einsum_path",
            "torch": r"can_cast get_device promote_types result_type sym_.*",
            "scipy.special": r"geterr seterr",
        },
    ),
    (
        "Concerns memory, devices or classes of PyTorch: results here own their memory, and `jit` knows devices.",
        {
            "torch": r".*_copy as_strided.* alias.* .*_scatter slice_inverse unsafe_.* max_pool1d_with_indices",
            "torch.nn.functional": r".*_with_indices .*torch_function.* boolean_dispatch assert_int_or_pair",
            "torch.Tensor": r"as_subclass bfloat16 byte char short ipu mtia xpu "
            r".*data_ptr dim_order index module_load pin_memory record_stream "
            r"re(inforce|size.*|tain_grad) register_post_accumulate_grad_hook storage.* "
            r"untyped_storage sum_to_size to_(mkldnn|padded_tensor)",
        },
    ),
    (
        "Belongs to quantized, sparse or library-specific code of PyTorch.",
        {
            "torch": r"(cudnn|miopen|mkldnn|fbgemm|native|quantized|fake_quantize|q_per|sparse|batch_norm)_.* "
            r"q_(scale|zero_point) quantize_.* (choose_qparams|fused_moving).* dequantize int_repr "
            r"dsmm hsmm hspmm saddmm smm spmm sspaddmm convolution segment_reduce norm_except_dim",
            "torch.nn.functional": r"(scaled_)?grouped_mm scaled_mm",
            "torch.Tensor": r".*_indices indices values coalesce dense_dim sparse_.* to_(dense|sparse.*) qscheme",
        },
    ),
    (
        "A step of a recurrence: `nn.RNN`, `nn.GRU` and `nn.LSTM` take sequences of one step.",
        {
            "torch": r"(gru|lstm|rnn_relu|rnn_tanh)_cell",
        },
    ),
    (
        "Rarely differentiated: compose it of other functions, or define it with `adjoint.op` or `adjoint.custom_vjp`.",
        {
            "numpy": r"apply_.* poly.* roots",
            "numpy.linalg": r"tensorinv tensorsolve",
            "torch": r"affine_grid_generator channel_shuffle cholesky_(inverse|solve) embedding_bag geqrf "
            r"grid_sampler.* lu.* matrix_exp orgqr ormqr (pca|svd)_lowrank renorm fill",
            "torch.nn.functional": r"affine_grid grid_sample",
            "scipy.special": r".*",
        },
    ),
]
